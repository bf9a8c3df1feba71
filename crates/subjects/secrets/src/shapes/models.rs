//! Shapes of services that run models.

use super::{Shape, shape};

pub(super) static SHAPES: &[Shape] = &[
    // The middle marks the issuer: `OpenAI` in base 64.
    shape(
        "openai-key",
        "OpenAI",
        &["T3BlbkFJ"],
        r"sk-(?:(?:proj|svcacct|admin|None)-)?[\w-]{20,100}T3BlbkFJ[\w-]{20,100}",
        30,
    )
    .back(23, 115),
    shape(
        "anthropic-key",
        "Anthropic",
        &["sk-ant-"],
        r"sk-ant-(?:api|admin|oat|ort|sid)\d\d-[\w-]{93}AA",
        30,
    ),
    shape("huggingface-token", "Hugging Face", &["hf_"], r"hf_[a-zA-Z]{34}", 30),
    shape("huggingface-organization-token", "Hugging Face", &["api_org_"], r"api_org_[a-zA-Z]{34}", 30),
    shape("perplexity-key", "Perplexity", &["pplx-"], r"pplx-[a-zA-Z0-9]{48}", 35),
    shape("groq-key", "Groq", &["gsk_"], r"gsk_[A-Za-z0-9]{52}", 35),
    shape("xai-key", "xAI", &["xai-"], r"xai-[A-Za-z0-9]{80}", 35),
    shape("replicate-token", "Replicate", &["r8_"], r"r8_[A-Za-z0-9]{37}", 35),
    shape("openrouter-key", "OpenRouter", &["sk-or-v1-"], r"sk-or-v1-[a-f0-9]{64}", 30),
    shape("langsmith-key", "LangSmith", &["lsv2_"], r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}", 30),
    shape("ollama-key", "Ollama", &["."], r"[a-f0-9]{32}\.[A-Za-z0-9_-]{24}", 38).back(32, 32).check(
        |token| {
            // Both parts are random.
            token.get(33..).is_some_and(crate::filters::mixed)
                && token[..32].bytes().any(|b| b.is_ascii_digit())
        },
    ),
    shape("deepseek-key", "DeepSeek", &["sk-"], r"sk-[a-f0-9]{32}", 30),
    shape("nvidia-key", "NVIDIA", &["nvapi-"], r"nvapi-[\w-]{64}", 35),
];

#!/usr/bin/env bash
# Verifies a receipt offline, with bash, GNU coreutils, grep, jq 1.6 or newer and OpenSSL 3: verify.sh RECEIPT JWKS VKEY
# Makes the checks of docs/verifying.md, except a dispute's rerun. Exit code 0: they hold, 1: one does not, 2: it cannot say.
set -uo pipefail
export LC_ALL=C.UTF-8
end() { printf '%s: %s\n' "$2" "$3"; exit "$1"; }
need() { "${@:2}" || end 1 "not valid" "$1"; }
unhex() { basenc -d --base16 <<<"${1^^}"; }
sha() { local sum; sum=$(sha256sum); printf %s "${sum%% *}"; }
has_signed() { # an Ed25519 key in base64, a text; the signature's bytes are the input
    printf '%s\n' "-----BEGIN PUBLIC KEY-----" "MCowBQYDK2VwAyEA$1" "-----END PUBLIC KEY-----" >"$folder/key"
    printf %s "$2" >"$folder/text" && cat >"$folder/signature"
    openssl pkeyutl -verify -pubin -inkey "$folder/key" -rawin -in "$folder/text" -sigfile "$folder/signature" >/dev/null 2>&1
}
[ $# = 3 ] && [ -r "$1" ] || end 2 "cannot say" "usage: verify.sh RECEIPT JWKS VKEY"
origin=${3%%+*} key_id=${3#*+} && log_key=${key_id#*+} key_id=${key_id%%+*}
folder=$(mktemp -d) && trap 'rm -r "$folder"' EXIT

# jq reads some numbers that are not JSON, and takes the last value of a name that is given twice.
string='"([^"\\]|\\.)*"' word='true|false|null|-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?'
tokens=$(tr '\n' ' ' <"$1" | grep -oE "$string[[:space:]]*:?|[^][{}:,\"[:space:]]+")
! grep -qvxE "$string[[:space:]]*:?|$word" <<<"$tokens" || end 1 "not valid" "the receipt is not JSON"
names=$(grep -c ':$' <<<"$tokens")
said=$(jq -nr --rawfile text "$1" --slurpfile jwks "$2" --arg vkey "$3" --argjson names "$names" '
    def need(holds; why): if holds then . else error(why) end;
    def b64u: @base64 | split("+") | join("-") | split("/") | join("_") | rtrimstr("=") | rtrimstr("=");
    def b64: split("-") | join("+") | split("_") | join("/") | . + "=" * ((4 - length % 4) % 4);
    # RFC 8785. Versions of jq write numbers differently: this takes their digits, and n, the place of the point in them.
    def number: tojson | capture("^(?<sign>-?)(?<whole>[0-9]+)([.](?<part>[0-9]+))?([eE](?<power>[+-]?[0-9]+))?$")
        | (.whole + .part) as $all | ($all | sub("^0+"; "")) as $tail | ($tail | sub("0+$"; "")) as $d | ($d | length) as $k
        | ((.whole | length) + (.power // "0" | tonumber) + ($tail | length) - ($all | length)) as $n
        | if $k == 0 then "0" elif $k <= $n and $n <= 21 then .sign + $d + "0" * ($n - $k)
          elif 0 < $n and $n <= 21 then .sign + $d[:$n] + "." + $d[$n:]
          elif -6 < $n and $n <= 0 then .sign + "0." + "0" * -$n + $d
          else .sign + $d[:1] + (if $k > 1 then "." + $d[1:] else "" end) + (if $n > 0 then "e+" else "e" end) + "\($n - 1)" end;
    def string: "\"" + (split("\u007f") | map(tojson[1:-1]) | join("\u007f")) + "\"";
    def utf16: explode | map(if . > 65535 then 55296 + . / 2097152 else . end);
    def jcs: . as $all
        | if type == "object" then "{" + (keys | sort_by(utf16) | map(string + ":" + ($all[.] | jcs)) | join(",")) + "}"
        elif type == "array" then "[" + (map(jcs) | join(",")) + "]"
        elif type == "string" then string elif type == "number" then number else tojson end;
    # C2SP tlog-proof and its signed note, to the last byte: nothing may be added that nobody signed, base64 has one spelling.
    def data: "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)";
    def hash: "[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=";
    def path: "c2sp\\.org/tlog-proof@v1\n(?:extra \(data)\n)?index (?<index>0|[1-9][0-9]{0,14})\n(?<path>(?:\(hash)\n)*)";
    def line: "[^\u0000-\u001f]+\n";
    def tree: "(?<tree>(?<named>\(line))(?<size>0|[1-9][0-9]{0,14})\n(?<root>\(hash))\n(?:\(line))*)";
    def signatures: "(?<signatures>(?:\u2014 [^+\\s\u0000-\u001f]+ (?=[^=\n]{7})\(data)\n){1,100})";
    def proof: [capture("\\A\(path)\n\(tree)\n\(signatures)\\z")] | need(length == 1; "the proof is not a tlog-proof") | .[0];
    def var(name; value): "\(name)=\(value | tostring | @sh)";
    ($text | fromjson) | need(([.. | objects | length] | add) == $names; "a name is given twice") | need(.v == 1; "v is not 1")
    | need([.receipt_hash, if has("ref") then .ref else .receipt_hash end | test("\\A[0-9a-f]{64}\\z")] == [true, true]; "a hash is not one")
    | need(.signature | test("\\A[A-Za-z0-9_-]{85}[AQgw]\\z"); "the signature is not base64url of 64 bytes")
    | del(.receipt_hash, .signature, .proof) as $payload | ($payload | jcs) as $signed
    | (if has("proof") then .proof | proof else {} end) as $proof
    | need($proof == {} or ($proof.index | tonumber) < ($proof.size | tonumber); "the leaf index is not one of the tree")
    | need($proof == {} or .log_head.size <= ($proof.index | tonumber); "log_head is later than the leaf of the receipt")
    | ([$jwks[0].keys[]? | select(.kid == $payload.kid and .role == null)][0] // {}) as $key
    | need($proof == {} or ($key.leaf_from // 0) <= ($proof.index | tonumber); "the leaf is before the range of the key")
    | need($proof == {} or ($proof.index | tonumber) < ($key.leaf_until // infinite); "the leaf is past the range of the key")
    | ([$jwks[0].keys[]? | select(.role == "log" and .vkey == $vkey)][0] // {}) as $log | (($proof.size // "0") | tonumber) as $size
    | need($proof == {} or (($log.leaf_from // 0) < $size and $size <= ($log.leaf_until // infinite));
        "the tree is not one that the log key may sign")
    | var("signed"; $signed), var("receipt_hash"; .receipt_hash), var("signature"; .signature | b64), var("ref"; .ref // ""),
      var("x"; $key.x // ""),
      var("input"; ({alg: "EdDSA", kid, typ: "verdict-receipt+jws"} | jcs | b64u) + "." + ($signed | b64u)),
      (.iss | split("://")[1] | var("host"; .), var("did"; "did:web:" + @uri)), var("kid"; .kid), var("kid_json"; .kid | jcs),
      ($proof | to_entries[] | var(.key; .value)), var("class"; .class | jcs), var("time"; .signed_at | jcs),
      var("verdict"; .verdict)' 2>"$folder/why")
status=$? why=$(<"$folder/why")
[ $status = 0 ] || { [ $status = 5 ] && end 1 "not valid" "${why##*: }" || end 2 "cannot say" "${why##*: }"; }
tree= && eval "$said"
need "receipt_hash is not the SHA-256 of the payload" [ "$(printf %s "$signed" | sha)" = "$receipt_hash" ]
[ -n "$x" ] || end 2 "cannot say" "the key set has no receipt key of this kid"
thumbprint=$(printf '{"crv":"Ed25519","kty":"OKP","x":"%s"}' "$x" | openssl dgst -sha256 -binary | basenc --base64url)
need "kid is not of iss and its key" [ "$kid" = "$did#${thumbprint%=}" ]
x=${x//-/+} x=${x//_//}=
base64 -d <<<"$signature" | has_signed "$x" "$input" || end 1 "not valid" "the signature is not one of the key"
[ -n "$tree" ] || end 2 "cannot say" "the receipt has no proof"
need "the checkpoint is not of the log of iss" [ "$named" = "$host/log"$'\n' ]
need "the checkpoint is not of the log of the log key" [ "$named" = "$origin"$'\n' ]
log_key=$(base64 -d <<<"$log_key" | tail -c 32 | base64) ours=0
while read -r _ name data; do
    id=$(base64 -d <<<"${data:0:8}" | basenc --base16)
    [ "$name" = "$origin" ] && [ "${id:0:8}" = "${key_id^^}" ] || continue
    base64 -d <<<"$data" | tail -c +5 | has_signed "$log_key" "$tree" ||
        end 1 "not valid" "the log key has not signed the checkpoint"
    ours=$((ours + 1))
done <<<"${signatures%$'\n'}"
need "no signature of the checkpoint is of the log key" [ $ours -gt 0 ]

# RFC 9162, section 2.1.3.2, on hashes in hexadecimal, the last of which is the root.
ref=${ref:+"\"ref\":\"$(unhex "$ref" | sha)\","} h=$(unhex "$receipt_hash" | sha)
node=$(printf '\0{"class":%s,"h":"%s","kid":%s,%s"t":%s,"v":1}' "$class" "$h" "$kid_json" "$ref" "$time" | sha)
hashes=($(base64 -d <<<"$path$root" | basenc --base16 -w 64)) at=$index last=$((size - 1))
for sibling in "${hashes[@]::${#hashes[@]}-1}"; do
    need "the path is too long" [ $last -gt 0 ]
    is_right=$((at % 2 == 1 || at == last))
    [ $is_right = 1 ] && node=$(unhex "01$sibling$node" | sha) || node=$(unhex "01$node$sibling" | sha)
    while ((is_right && at > 0 && at % 2 == 0)); do at=$((at / 2)) last=$((last / 2)); done
    at=$((at / 2)) last=$((last / 2))
done
need "the path does not lead to the root that is signed" [ "$last ${node^^}" = "0 ${hashes[-1]}" ]
[ "$class" != '"dispute"' ] || end 2 "cannot say" "docs/verify.py checks the rerun of a dispute, and this does not"
end 0 valid "$verdict"

/**
 * Example questions that the page /try makes itself: track records long enough to be graded, which no document holds.
 *
 * The numbers are random as far as these examples need, and the same each time.
 */

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2024, 0, 1);

/** Numbers from 0 to 1 (Lehmer, with the multiplier of Park and Miller 1993). */
function generator(seed) {
  return () => (seed = (seed * 48271) % 2147483647) / 2147483647;
}

/** A number of mean 0 and deviation 1: twelve uniform ones, summed. */
function normal(uniform) {
  let sum = -6;
  for (let count = 0; count < 12; count += 1) sum += uniform();
  return sum;
}

const day = (after) => new Date(FIRST_DAY + after * DAY_MS).toISOString().slice(0, 10);
const round = (value, places) => Number(value.toFixed(places));

/** 500 days of returns with an edge over their benchmark. */
function edge() {
  const uniform = generator(21);
  const row = (_, at) => ({
    date: day(at),
    r: round(0.002 + 0.01 * normal(uniform), 6),
    b: round(0.0003 + 0.01 * normal(uniform), 6),
    max_loss: 0.06,
  });
  return { agent: "my-agent", declared_trials: 1, risk_free: 0, returns: Array.from({ length: 500 }, row) };
}

/** 250 trades of a day each with an edge, and the costs of copiers who pay little. */
function copied() {
  const uniform = generator(7);
  const row = (_, at) => {
    const exit = round(100 * (1.004 + 0.01 * (2 * uniform() - 1)), 4);
    return {
      trade_id: `t-${at + 1}`,
      side: "long",
      opened_at: `${day(at)}T09:00:00Z`,
      closed_at: `${day(at)}T15:00:00Z`,
      settled: true,
      currency: "USD",
      size: 500,
      entry_price: 100,
      exit_price: exit,
      fees: 1,
      pnl_net: round((exit - 100) * 500 - 1, 2),
      equity_before: 100000,
      max_loss: 1000,
      benchmark_return: round(0.01 * (2 * uniform() - 1), 8),
    };
  };
  const costs = {
    half_spread: 0.0001,
    fee: 0.0001,
    order_size: 10000,
    adv: 100000000,
    daily_volatility: 0.01,
    latency_seconds: 1,
  };
  return { agent: "my-agent", declared_trials: 5, risk_free: 0, costs, trades: Array.from({ length: 250 }, row) };
}

const MADE = { "grade-strategy": edge, "copy-trade-score": copied };

/** A question as text: indented, with the rows of a long list on a line each. */
function written(question) {
  const members = Object.entries(question).map(([name, value]) => {
    const isLong = Array.isArray(value) && value.length > 20;
    const rows = isLong ? value.map((row) => `    ${JSON.stringify(row)}`).join(",\n") : "";
    const text = isLong ? `[\n${rows}\n  ]` : JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");
    return `  ${JSON.stringify(name)}: ${text}`;
  });
  return `{\n${members.join(",\n")}\n}`;
}

/**
 * The text of a route's example question.
 *
 * @param {string} name the route's class
 * @param {string | undefined} declared the example that the notary publishes, as JSON
 * @param {string | null} receipt the hash of the newest receipt of this page, which a dispute is about
 */
export function example(name, declared, receipt) {
  const question = MADE[name]?.() ?? JSON.parse(declared ?? '{"agent": "my-agent"}');
  if (name === "dispute" && receipt) question.receipt_hash = receipt;
  return written(question);
}

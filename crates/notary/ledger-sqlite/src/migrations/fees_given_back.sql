-- What is owed back is neither revenue nor settled by its agent: it is taken out on the day that it was settled on.

-- When a claim was settled, milliseconds since 1970; unknown of those that were settled before this column was there.
ALTER TABLE claims ADD COLUMN settled_at INTEGER;

-- Fees that were owed back before this was kept. The day on which they were settled is not known any more.
UPDATE revenue SET income = income - (
    SELECT coalesce(sum(refunds.amount), 0) FROM refunds JOIN claims ON claims.id = refunds.claim
    WHERE refunds.kind = 1 AND claims.symbol = revenue.symbol AND claims.class = revenue.class
);
INSERT INTO settled (agent, day, amount)
SELECT claims.agent, refunds.owed_at / 86400000, -refunds.amount
FROM refunds JOIN claims ON claims.id = refunds.claim WHERE refunds.kind = 1
ON CONFLICT (agent, day) DO UPDATE SET amount = amount + excluded.amount;

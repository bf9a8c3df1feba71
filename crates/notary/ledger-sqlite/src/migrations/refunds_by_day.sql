-- What was paid out lately: counted against the day's cap with each payout.
CREATE INDEX paid_out ON refunds (paid_at) WHERE paid_at IS NOT NULL;

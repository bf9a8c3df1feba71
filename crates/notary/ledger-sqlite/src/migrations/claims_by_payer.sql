-- The claims of a payer that are not finished: they are counted with each new one.
CREATE INDEX unfinished_by_payer ON claims (payer) WHERE state < 4;

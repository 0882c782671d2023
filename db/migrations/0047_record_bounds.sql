CREATE TABLE "earnest"."proved_wallet" (
	"account_id" text NOT NULL,
	"address" text NOT NULL,
	"chain_id" integer
);
--> statement-breakpoint
ALTER TABLE "earnest"."proved_wallet" ADD CONSTRAINT "proved_wallet_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "proved_wallet_of" ON "earnest"."proved_wallet" USING btree ("account_id","address",coalesce("chain_id", 0));--> statement-breakpoint
CREATE FUNCTION "earnest"."note_proved_wallet"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.proved_wallet (account_id, address, chain_id) VALUES (NEW.account_id, NEW.address, NEW.chain_id)
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "wallet_proved" AFTER INSERT OR UPDATE OF "account_id", "address", "chain_id" ON "earnest"."wallet"
  FOR EACH ROW EXECUTE FUNCTION earnest.note_proved_wallet();--> statement-breakpoint
INSERT INTO "earnest"."proved_wallet" (account_id, address, chain_id)
  SELECT account_id, address, chain_id FROM "earnest"."wallet"
  UNION SELECT account_id, lower(data ->> 'address'), (data ->> 'chain_id')::integer
    FROM "earnest"."audit_entry" WHERE action = 'wallet.removed'
  ON CONFLICT DO NOTHING;--> statement-breakpoint
-- When an agent's record may be computed again: the later, the more outcomes it has.
CREATE FUNCTION "earnest"."record_due_at"(agent text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT greatest(now(), (
    SELECT as_of + make_interval(secs => 10 + outcomes / 100.0) FROM earnest.agent_record WHERE id = agent))
$$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "earnest"."follow_outcome"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE agent text := CASE WHEN TG_OP = 'DELETE' THEN OLD.agent_id ELSE NEW.agent_id END;
BEGIN
  INSERT INTO earnest.record_due AS due (agent_id, due_at) VALUES (agent, earnest.record_due_at(agent))
    ON CONFLICT (agent_id) DO UPDATE SET changes = due.changes + 1,
      due_at = CASE WHEN due.due_at = due.ages_due_at THEN least(due.due_at, excluded.due_at) ELSE due.due_at END;
  IF TG_OP <> 'INSERT' THEN PERFORM earnest.count_payer(OLD, -1); END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM earnest.count_payer(NEW, 1);
    INSERT INTO earnest.agent_wallet (agent_id, address) VALUES (NEW.agent_id, NEW.provider_address)
      ON CONFLICT DO NOTHING;
    UPDATE earnest.review SET apart = NEW.apart IS NOT NULL
      WHERE order_id = NEW.order_id AND apart <> (NEW.apart IS NOT NULL);
  END IF;
  RETURN NULL;
END $$;

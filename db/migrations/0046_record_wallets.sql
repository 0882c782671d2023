CREATE TABLE "earnest"."agent_wallet" (
	"agent_id" text NOT NULL,
	"address" text NOT NULL,
	CONSTRAINT "agent_wallet_agent_id_address_pk" PRIMARY KEY("agent_id","address")
);
--> statement-breakpoint
ALTER TABLE "earnest"."record_due" ADD COLUMN "ages_due_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "earnest"."agent_wallet" ADD CONSTRAINT "agent_wallet_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_wallet_of" ON "earnest"."agent_wallet" USING btree ("address","agent_id");
--> statement-breakpoint
-- A record that waits for wallets' ages alone is computed sooner if its outcomes change; one that a worker computes is left to it.
CREATE OR REPLACE FUNCTION "earnest"."follow_outcome"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE agent text := CASE WHEN TG_OP = 'DELETE' THEN OLD.agent_id ELSE NEW.agent_id END;
BEGIN
  INSERT INTO earnest.record_due AS due (agent_id, due_at)
    VALUES (agent, greatest(now(), coalesce(
      (SELECT as_of + make_interval(secs => 10 + outcomes / 100.0) FROM earnest.agent_record WHERE id = agent), now())))
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
END $$;--> statement-breakpoint
INSERT INTO "earnest"."agent_wallet" (agent_id, address)
  SELECT DISTINCT agent_id, provider_address FROM "earnest"."order_outcome";

ALTER TABLE "earnest"."order_outcome" ALTER COLUMN "recorded_at" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "earnest"."agent_record" ADD COLUMN "share" integer;--> statement-breakpoint
ALTER TABLE "earnest"."order_outcome" ADD COLUMN "token_decimals" integer NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."order_outcome" ADD COLUMN "disputed_by" text;--> statement-breakpoint
ALTER TABLE "earnest"."order_outcome" ADD COLUMN "disputed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "earnest"."agent_record" DROP COLUMN "lower";--> statement-breakpoint
-- A new counterparty has the next number. The agent's row is locked first: of two that come at once, one waits.
CREATE FUNCTION "earnest"."name_counterparty"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM earnest.counterparty WHERE agent_id = NEW.agent_id AND buyer_account_id = NEW.buyer_account_id) THEN
    PERFORM FROM earnest.agent WHERE id = NEW.agent_id FOR NO KEY UPDATE;
    INSERT INTO earnest.counterparty (agent_id, buyer_account_id, number)
      SELECT NEW.agent_id, NEW.buyer_account_id, coalesce(max(number), 0) + 1
      FROM earnest.counterparty WHERE agent_id = NEW.agent_id
      ON CONFLICT (agent_id, buyer_account_id) DO NOTHING;
  END IF;
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "order_outcome_named" BEFORE INSERT ON "earnest"."order_outcome"
  FOR EACH ROW EXECUTE FUNCTION earnest.name_counterparty();--> statement-breakpoint
CREATE FUNCTION "earnest"."ask_provenance"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.provenance AS known (provider_account_id, buyer_address, chain_id, token)
    VALUES (NEW.provider_account_id, NEW.buyer_address, NEW.chain_id, NEW.token)
    ON CONFLICT (provider_account_id, buyer_address, chain_id, token) DO UPDATE
      SET next_check_at = greatest(now(), known.asked_at + interval '1 day')
      WHERE known.next_check_at IS NULL OR known.next_check_at > greatest(now(), known.asked_at + interval '1 day');
  RETURN NULL;
END $$;--> statement-breakpoint
-- Where a provider was paid, the chain is asked whether the money was its own: at once, and then once a day at most.
CREATE TRIGGER "order_outcome_paid" AFTER INSERT ON "earnest"."order_outcome" FOR EACH ROW
  WHEN (NEW.ended = 'released' AND (NEW.apart IS NULL OR NEW.apart = 'money_from_provider'))
  EXECUTE FUNCTION earnest.ask_provenance();

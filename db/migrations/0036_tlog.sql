CREATE TABLE "earnest"."log_entry" (
	"index" bigint PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"entry" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "log_entry_fact" UNIQUE("kind","subject")
);
--> statement-breakpoint
CREATE TABLE "earnest"."log_head" (
	"id" smallint PRIMARY KEY DEFAULT 1 NOT NULL,
	"vkey" text NOT NULL,
	"policy" text NOT NULL,
	"holder" text,
	"fence" bigint DEFAULT 0 NOT NULL,
	"held_until" timestamp with time zone,
	"size" bigint DEFAULT 0 NOT NULL,
	"root" text NOT NULL,
	"checkpoint" text,
	"checkpoint_at" timestamp with time zone,
	"waiting_since" timestamp with time zone,
	"shown" text,
	"shown_size" bigint DEFAULT 0 NOT NULL,
	"shown_at" timestamp with time zone,
	"is_witnessed" boolean,
	"halted" text,
	"halted_because" text,
	"halted_by" text,
	"halted_at" timestamp with time zone,
	CONSTRAINT "log_head_one" CHECK ("earnest"."log_head"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "earnest"."log_queue" (
	"position" bigserial PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"revoked_at" timestamp with time zone,
	"refused" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "log_queue_fact" UNIQUE("kind","subject")
);
--> statement-breakpoint
CREATE TABLE "earnest"."log_tile" (
	"level" smallint NOT NULL,
	"index" bigint NOT NULL,
	"hashes" "bytea" NOT NULL,
	CONSTRAINT "log_tile_level_index_pk" PRIMARY KEY("level","index")
);
--> statement-breakpoint
CREATE TABLE "earnest"."log_witness" (
	"vkey" text PRIMARY KEY NOT NULL,
	"size" bigint DEFAULT 0 NOT NULL,
	"signed_at" timestamp with time zone,
	"failure" text,
	"failed_at" timestamp with time zone
);
--> statement-breakpoint
-- The hashes of a tile cannot be compressed.
ALTER TABLE "earnest"."log_tile" ALTER COLUMN "hashes" SET STORAGE EXTERNAL;--> statement-breakpoint
-- What is to be logged is queued by whoever writes the fact, in the same transaction, and also by hand. The channel is that
-- of db/tlog.ts: a sequencer looks at once, when the transaction has ended.
CREATE FUNCTION "earnest"."queue_receipt"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO earnest.log_queue (kind, subject) VALUES ('receipt', NEW.id) ON CONFLICT DO NOTHING;
  END IF;
  IF NEW.revoked_at IS NOT NULL THEN
    INSERT INTO earnest.log_queue (kind, subject, revoked_at) VALUES ('revocation', NEW.id, NEW.revoked_at)
      ON CONFLICT DO NOTHING;
  END IF;
  PERFORM pg_notify('earnest_log', '');
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."queue_key"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.log_queue (kind, subject) VALUES ('key', NEW.seq::text) ON CONFLICT DO NOTHING;
  PERFORM pg_notify('earnest_log', '');
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "receipt_queued" AFTER INSERT ON "earnest"."receipt"
  FOR EACH ROW EXECUTE FUNCTION earnest.queue_receipt();--> statement-breakpoint
CREATE TRIGGER "revocation_queued" AFTER UPDATE OF "revoked_at" ON "earnest"."receipt"
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION earnest.queue_receipt();--> statement-breakpoint
CREATE TRIGGER "key_queued" AFTER INSERT ON "earnest"."key_log"
  FOR EACH ROW EXECUTE FUNCTION earnest.queue_key();--> statement-breakpoint
-- What is there from before is logged in the order in which it came about.
INSERT INTO "earnest"."log_queue" ("kind", "subject", "revoked_at")
  SELECT kind, subject, revoked_at FROM (
    SELECT 'key' AS kind, seq::text AS subject, NULL::timestamptz AS revoked_at, created_at AS at, 0 AS rank, seq AS place
      FROM earnest.key_log
    UNION ALL SELECT 'receipt', id, NULL, created_at, 1, 0 FROM earnest.receipt
    UNION ALL SELECT 'revocation', id, revoked_at, greatest(revoked_at, created_at), 2, 0 FROM earnest.receipt
      WHERE revoked_at IS NOT NULL) AS known
  ORDER BY at, rank, place, subject;

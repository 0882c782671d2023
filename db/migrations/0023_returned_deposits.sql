-- Returns of deposits, and records of deliveries beyond the first 16, are counted by the index and are no facts any more.
ALTER TABLE "earnest"."fact" DISABLE TRIGGER "fact_append_only";--> statement-breakpoint
DELETE FROM "earnest"."fact" WHERE "type" = 'deposit.returned';--> statement-breakpoint
DELETE FROM "earnest"."fact"
WHERE "type" = 'delivery.recorded' AND ("data" ->> 'number')::integer > 16
  AND NOT EXISTS (SELECT 1 FROM "earnest"."event" WHERE "event"."fact_id" = "fact"."id");--> statement-breakpoint
ALTER TABLE "earnest"."fact" ENABLE TRIGGER "fact_append_only";

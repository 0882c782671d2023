ALTER TABLE "earnest"."order" ADD COLUMN "disputed_at" timestamp with time zone;--> statement-breakpoint
UPDATE "earnest"."order" SET "disputed_at" = "disputed"."occurred_at" FROM "earnest"."fact" AS "disputed"
  WHERE "order"."status" IN ('disputed', 'released', 'refunded')
    AND "disputed"."order_id" = "order"."id" AND "disputed"."type" = 'order.disputed'
    AND NOT EXISTS (
      SELECT 1 FROM "earnest"."fact" AS "reverted"
      WHERE "reverted"."order_id" = "order"."id" AND "reverted"."type" = 'fact.reverted'
        AND "reverted"."data" ->> 'fact_id' = "disputed"."id");--> statement-breakpoint
CREATE INDEX "order_arbiter" ON "earnest"."order" USING btree ("arbiter","disputed_at","id") WHERE "earnest"."order"."disputed_at" is not null;
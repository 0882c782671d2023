DROP INDEX "earnest"."order_due";--> statement-breakpoint
ALTER TABLE "earnest"."order" ADD COLUMN "release_due_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "order_due" ON "earnest"."order" USING btree ("chain_id",(case when "auto_release_at" is null then "delivery_deadline" else "release_due_at" end)) WHERE "earnest"."order"."status" in ('funded', 'started', 'delivered');--> statement-breakpoint
UPDATE "earnest"."order" AS o SET "release_due_at" = m.due
FROM (
	SELECT r.order_id, min(
		(r.data ->> 'auto_release_at')::timestamptz - (r.data ->> 'delivered_at')::timestamptz
			+ CASE WHEN d.seq > r.seq THEN greatest(d.occurred_at, r.occurred_at) ELSE r.occurred_at END
	) AS due
	FROM "earnest"."fact" AS r
	JOIN LATERAL (
		SELECT seq, occurred_at FROM "earnest"."fact"
		WHERE order_id = r.order_id AND type = 'order.delivered' AND data ->> 'output_hash' = r.data ->> 'output_hash'
		ORDER BY seq LIMIT 1
	) AS d ON true
	WHERE r.type = 'delivery.recorded' AND NOT EXISTS (
		SELECT FROM "earnest"."fact" AS v
		WHERE v.order_id = r.order_id AND v.type = 'fact.reverted' AND v.data ->> 'fact_id' = r.id
	)
	GROUP BY r.order_id
) AS m
WHERE m.order_id = o.id AND o.auto_release_at IS NOT NULL;

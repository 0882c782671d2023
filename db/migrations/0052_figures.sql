DROP INDEX "earnest"."offer_completed";--> statement-breakpoint
DROP INDEX "earnest"."offer_score";--> statement-breakpoint
CREATE INDEX "order_buyer_status" ON "earnest"."order" USING btree ("buyer_account_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "order_provider_status" ON "earnest"."order" USING btree ("provider_account_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "offer_completed" ON "earnest"."offer" USING btree ("completed_orders","service_id","created_at");--> statement-breakpoint
CREATE INDEX "offer_score" ON "earnest"."offer" USING btree ("score","completed_orders","service_id","created_at");--> statement-breakpoint
DROP FUNCTION "earnest"."find_offers"(tsquery, tsquery, numeric, numeric, integer, integer, integer, text, integer, integer,
  integer, integer, integer);--> statement-breakpoint
-- As before, but that terms may stand apart in "also": an index intersects a condition that any of several terms fulfils
-- sooner when it is asked for by itself.
CREATE FUNCTION "earnest"."find_offers"(terms tsquery, verified tsquery, price_from numeric, price_to numeric, hours integer,
  after_completed integer, after_lot integer, after_id text, most integer, orders_from integer DEFAULT 0,
  score_from integer DEFAULT 0, rating_from integer DEFAULT 0, on_time_from integer DEFAULT 0, also tsquery DEFAULT NULL)
  RETURNS SETOF earnest.shelved_offer LANGUAGE plpgsql STABLE ROWS 1000
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
#variable_conflict use_column
BEGIN
  IF also IS NULL THEN
    RETURN QUERY SELECT found.* FROM unnest(earnest.shelves()) AS place (number) CROSS JOIN LATERAL (
        SELECT * FROM earnest.shelved_offer
        WHERE shelf = place.number AND earnest.offer_terms(service_id) @@ terms
          AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
          AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
          AND (verified IS NULL OR earnest.offer_search(service_id) @@ verified)
          AND (after_completed IS NULL OR (completed_orders, lot, service_id) < (after_completed, after_lot, after_id))
        ORDER BY completed_orders DESC, lot DESC, service_id DESC) AS found
      WHERE place.number >= earnest.shelf_of(orders_from, 0)
        AND (after_completed IS NULL OR place.number <= earnest.shelf_of(after_completed, after_lot))
      LIMIT most;
  ELSE
    RETURN QUERY SELECT found.* FROM unnest(earnest.shelves()) AS place (number) CROSS JOIN LATERAL (
        SELECT * FROM earnest.shelved_offer
        WHERE shelf = place.number AND earnest.offer_terms(service_id) @@ terms AND earnest.offer_terms(service_id) @@ also
          AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
          AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
          AND (verified IS NULL OR earnest.offer_search(service_id) @@ verified)
          AND (after_completed IS NULL OR (completed_orders, lot, service_id) < (after_completed, after_lot, after_id))
        ORDER BY completed_orders DESC, lot DESC, service_id DESC) AS found
      WHERE place.number >= earnest.shelf_of(orders_from, 0)
        AND (after_completed IS NULL OR place.number <= earnest.shelf_of(after_completed, after_lot))
      LIMIT most;
  END IF;
END $$;--> statement-breakpoint
DROP FUNCTION "earnest"."count_offers"(tsquery, tsquery, numeric, numeric, integer, integer, integer, integer, integer, integer);--> statement-breakpoint
CREATE FUNCTION "earnest"."count_offers"(terms tsquery, verified tsquery, price_from numeric, price_to numeric, hours integer,
  most integer, orders_from integer DEFAULT 0, score_from integer DEFAULT 0, rating_from integer DEFAULT 0,
  on_time_from integer DEFAULT 0, also tsquery DEFAULT NULL)
  RETURNS integer LANGUAGE plpgsql STABLE
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
#variable_conflict use_column
BEGIN
  IF also IS NULL THEN
    RETURN (SELECT count(*) FROM (
      SELECT FROM unnest(earnest.shelves()) AS place (number) CROSS JOIN LATERAL (
        SELECT FROM earnest.shelved_offer
        WHERE shelf = place.number AND earnest.offer_terms(service_id) @@ terms
          AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
          AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
          AND (verified IS NULL OR earnest.offer_search(service_id) @@ verified)
        OFFSET 0) AS found
      WHERE place.number >= earnest.shelf_of(orders_from, 0)
      LIMIT most) AS counted);
  ELSE
    RETURN (SELECT count(*) FROM (
      SELECT FROM unnest(earnest.shelves()) AS place (number) CROSS JOIN LATERAL (
        SELECT FROM earnest.shelved_offer
        WHERE shelf = place.number AND earnest.offer_terms(service_id) @@ terms AND earnest.offer_terms(service_id) @@ also
          AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
          AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
          AND (verified IS NULL OR earnest.offer_search(service_id) @@ verified)
        OFFSET 0) AS found
      WHERE place.number >= earnest.shelf_of(orders_from, 0)
      LIMIT most) AS counted);
  END IF;
END $$;

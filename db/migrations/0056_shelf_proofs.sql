ALTER TABLE "earnest"."shelved_offer" ADD COLUMN "proved" text[];--> statement-breakpoint
-- What is not known here yet is looked up: to write a fifth of a million rows anew, with all their terms, took eight minutes.
CREATE OR REPLACE FUNCTION "earnest"."keep_shelf"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE drawn integer := earnest.lot_of(CASE WHEN TG_OP = 'DELETE' THEN OLD.service_id ELSE NEW.service_id END);
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO earnest.shelved_offer VALUES (earnest.shelf_of(NEW.completed_orders, drawn), NEW.service_id,
      NEW.completed_orders, drawn, NEW.delivery_time_hours, NEW.price, NEW.pricing_model, NEW.category, NEW.tags,
      NEW.score, NEW.rating, NEW.on_time, NEW.verified);
  ELSIF TG_OP = 'DELETE' THEN
    DELETE FROM earnest.shelved_offer
      WHERE service_id = OLD.service_id AND shelf = earnest.shelf_of(OLD.completed_orders, drawn);
  ELSE
    -- Most changes leave it on its shelf, and its terms as they are indexed.
    UPDATE earnest.shelved_offer
      SET completed_orders = NEW.completed_orders, shelf = earnest.shelf_of(NEW.completed_orders, drawn),
        score = NEW.score, rating = NEW.rating, on_time = NEW.on_time, proved = NEW.verified
      WHERE service_id = NEW.service_id AND shelf = earnest.shelf_of(OLD.completed_orders, drawn);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
-- As before, but that each shelf is asked by itself: one that is not visited is not even opened. Completed orders and lot are
-- sorted by as one number, since all offers of most shelves have equally many orders.
CREATE OR REPLACE FUNCTION "earnest"."find_offers"(terms tsquery, verified tsquery, price_from numeric, price_to numeric, hours integer,
  after_completed integer, after_lot integer, after_id text, most integer, orders_from integer DEFAULT 0,
  score_from integer DEFAULT 0, rating_from integer DEFAULT 0, on_time_from integer DEFAULT 0, also tsquery DEFAULT NULL)
  RETURNS SETOF earnest.shelved_offer LANGUAGE plpgsql STABLE ROWS 1000
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
#variable_conflict use_column
DECLARE
  highest constant smallint := earnest.shelf_of(after_completed, after_lot);
  lowest constant smallint := earnest.shelf_of(orders_from, 0);
  missing integer := most;
  seen integer;
  place smallint;
BEGIN
  FOREACH place IN ARRAY earnest.shelves() LOOP
    CONTINUE WHEN place > highest;
    EXIT WHEN place < lowest OR missing <= 0;
    IF also IS NULL THEN
      RETURN QUERY SELECT * FROM earnest.shelved_offer
        WHERE shelf = place AND earnest.offer_terms(service_id) @@ terms
          AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
          AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
          AND (verified IS NULL OR earnest.offer_search(service_id) @@ verified)
          AND (after_completed IS NULL OR (completed_orders, lot, service_id) < (after_completed, after_lot, after_id))
        ORDER BY (completed_orders::bigint << 31) + lot DESC, service_id DESC LIMIT missing;
    ELSE
      RETURN QUERY SELECT * FROM earnest.shelved_offer
        WHERE shelf = place AND earnest.offer_terms(service_id) @@ terms AND earnest.offer_terms(service_id) @@ also
          AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
          AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
          AND (verified IS NULL OR earnest.offer_search(service_id) @@ verified)
          AND (after_completed IS NULL OR (completed_orders, lot, service_id) < (after_completed, after_lot, after_id))
        ORDER BY (completed_orders::bigint << 31) + lot DESC, service_id DESC LIMIT missing;
    END IF;
    GET DIAGNOSTICS seen = ROW_COUNT;
    missing := missing - seen;
  END LOOP;
END $$;

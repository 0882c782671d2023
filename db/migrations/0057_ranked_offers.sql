-- The terms that whatever fits a search has: of a phrase its pairs, which its words go with, nothing of a phrase that is to be
-- left out. Null for a search of no words.
CREATE OR REPLACE FUNCTION "earnest"."terms_of"(asked tsquery) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  tokens text[];
  made text := '';
  at integer := 1;
  closing integer;
  -- Whether the operator at a place stands between two words, and so is a pair.
  pairs boolean[];
BEGIN
  IF numnode(asked) = 0 THEN RETURN NULL; END IF;
  IF asked::text !~ '<(-|\d+)>' THEN RETURN asked; END IF;
  tokens := ARRAY(SELECT token[1] FROM
    regexp_matches(asked::text, '(''(?:[^'']|'''')*''(?::[*A-D]+)?|<(?:-|\d+)>|[&|!()])', 'g') AS token);
  pairs := ARRAY(SELECT tokens[place] = '<->' AND tokens[place - 1] ~ '''$' AND tokens[place + 1] ~ '''$'
    FROM generate_subscripts(tokens, 1) AS place ORDER BY place);
  WHILE at <= cardinality(tokens) LOOP
    IF tokens[at] = '!' AND tokens[at + 1] = '(' THEN
      closing := at + array_position(tokens[at:], ')') - 1;
      IF EXISTS (SELECT FROM unnest(tokens[at:closing]) AS token WHERE token ~ '^<') THEN
        made := made || '!''' || chr(2) || '''';
        at := closing;
      ELSE
        made := made || '!';
      END IF;
    ELSIF pairs[at] THEN
      IF pairs[at - 2] THEN made := made || '&'; END IF;
      made := made || '''' || earnest.pair_term(earnest.lexeme_of(tokens[at - 1]), earnest.lexeme_of(tokens[at + 1])) || '''';
    ELSIF tokens[at] ~ '^<' THEN
      made := made || '&';
    ELSIF NOT (coalesce(pairs[at - 1], false) OR coalesce(pairs[at + 1], false)) THEN
      made := made || tokens[at];
    END IF;
    at := at + 1;
  END LOOP;
  RETURN made::tsquery;
END $$;--> statement-breakpoint
-- The most completed offers that have these terms, each with how well its text fits what is asked, in millionths. Of words
-- that are to stand side by side the text says whether they do; it is read once for both.
CREATE FUNCTION "earnest"."rank_offers"(asked tsquery, terms tsquery, also tsquery, price_from numeric, price_to numeric,
  hours integer, most integer, orders_from integer, score_from integer, rating_from integer, on_time_from integer)
  RETURNS TABLE (id text, completed integer, lot integer, rank integer) LANGUAGE plpgsql STABLE ROWS 1000
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
#variable_conflict use_column
DECLARE
  lowest constant smallint := earnest.shelf_of(orders_from, 0);
  phrased constant boolean := asked::text ~ '<';
  missing integer := most;
  seen integer;
  place smallint;
BEGIN
  FOREACH place IN ARRAY earnest.shelves() LOOP
    EXIT WHEN place < lowest OR missing <= 0;
    IF phrased THEN
      RETURN QUERY SELECT service_id, completed_orders, lot, 1 + (ts_rank(search, asked) * 1000000)::integer
        FROM (
          SELECT service_id, offer.completed_orders, lot, search
          FROM earnest.shelved_offer AS offer JOIN earnest.service ON service.id = service_id
          WHERE shelf = place AND earnest.offer_terms(service_id) @@ coalesce(terms && also, terms) AND search @@ asked
            AND offer.price BETWEEN price_from AND price_to AND offer.delivery_time_hours <= hours
            AND offer.completed_orders >= orders_from AND offer.score >= score_from AND offer.rating >= rating_from
            AND offer.on_time >= on_time_from
          ORDER BY (offer.completed_orders::bigint << 31) + lot DESC, service_id DESC LIMIT missing) AS found;
    ELSIF also IS NULL THEN
      RETURN QUERY SELECT service_id, found.completed_orders, found.lot, 1 + (ts_rank(search, asked) * 1000000)::integer
        FROM (
          SELECT service_id, completed_orders, lot FROM earnest.shelved_offer
          WHERE shelf = place AND earnest.offer_terms(service_id) @@ terms
            AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
            AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
          ORDER BY (completed_orders::bigint << 31) + lot DESC, service_id DESC LIMIT missing) AS found
        JOIN earnest.service ON service.id = service_id;
    ELSE
      RETURN QUERY SELECT service_id, found.completed_orders, found.lot, 1 + (ts_rank(search, asked) * 1000000)::integer
        FROM (
          SELECT service_id, completed_orders, lot FROM earnest.shelved_offer
          WHERE shelf = place AND earnest.offer_terms(service_id) @@ terms AND earnest.offer_terms(service_id) @@ also
            AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
            AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
          ORDER BY (completed_orders::bigint << 31) + lot DESC, service_id DESC LIMIT missing) AS found
        JOIN earnest.service ON service.id = service_id;
    END IF;
    GET DIAGNOSTICS seen = ROW_COUNT;
    missing := missing - seen;
  END LOOP;
END $$;--> statement-breakpoint
-- Of the shelves without and with one completed order, those below a shelf on which nothing has these terms, where the highest
-- lots say that hardly any will have.
CREATE FUNCTION "earnest"."bare_shelves"(also tsquery, below smallint) RETURNS smallint[] LANGUAGE plpgsql STABLE
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
DECLARE
  bare smallint[] := '{}';
  highest smallint;
BEGIN
  FOREACH highest IN ARRAY '{15,5}'::smallint[] LOOP
    CONTINUE WHEN highest >= below;
    FOR place IN REVERSE highest .. highest - 5 LOOP
      PERFORM FROM earnest.shelved_offer WHERE shelf = place AND earnest.offer_terms(service_id) @@ also LIMIT 1;
      IF NOT FOUND THEN bare := bare || place::smallint; END IF;
      EXIT WHEN FOUND AND place = highest;
    END LOOP;
  END LOOP;
  RETURN bare;
END $$;--> statement-breakpoint
-- How many offers have these terms, counted up to `most`. Lots are drawn at random, so a part of them says beyond doubt that
-- there are so many: with fewer, `enough` would be in that part by chance once in a billion (Bernstein's inequality). Where
-- no part says so, all are counted.
CREATE OR REPLACE FUNCTION "earnest"."count_offers"(terms tsquery, verified tsquery, price_from numeric, price_to numeric, hours integer,
  most integer, orders_from integer DEFAULT 0, score_from integer DEFAULT 0, rating_from integer DEFAULT 0,
  on_time_from integer DEFAULT 0, also tsquery DEFAULT NULL)
  RETURNS integer LANGUAGE plpgsql STABLE
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
#variable_conflict use_column
DECLARE
  -- The shelves of one look after the other, and the share of all lots that is then seen. The second look has no lots.
  looks constant text[] := '{"{35,25,15,5}","{113,112,111,110,109,108,107,106,105,104,103,102,101}","{34,33,24,23,14,13,4,3}",
    "{32,22,12,2}","{31,30,21,20,11,10,1,0}"}';
  shares constant float8[] := '{0.03125,0.03125,0.125,0.25,1}';
  -- All that begins with a word is read from a shelf's index first, even where nothing has the other terms.
  begun constant boolean := also IS NOT NULL AND verified IS NULL AND terms::text ~ ':\*';
  lowest smallint;
  bare smallint[];
  look smallint[];
  share float8;
  whole integer := 0;
  drawn integer := 0;
  seen integer;
  least_found smallint;
  missing integer;
  enough integer;
  wanted integer;
BEGIN
  FOR step IN 1..5 LOOP
    look := looks[step];
    share := shares[step];
    -- So few are sooner counted at once.
    IF (step = 2 AND drawn < enough / 4) OR (step = 3 AND whole + 32 * drawn < 0.9 * most) THEN
      look := ARRAY(SELECT shelf FROM unnest(earnest.shelves()) AS shelf
        WHERE shelf <> ALL (looks[1]::smallint[]) AND (step = 2 OR shelf < 100));
      share := 1;
    END IF;
    missing := most - whole;
    enough := least(missing, ceil(share * missing + 6.8 * sqrt(share * (1 - share) * missing) + 11));
    wanted := CASE WHEN step = 2 THEN missing ELSE enough END - drawn;
    IF wanted <= 0 THEN RETURN most; END IF;
    IF begun AND step > 1 AND look && '{13,10}' THEN
      IF bare IS NULL THEN bare := earnest.bare_shelves(also, coalesce(lowest, 0::smallint)); END IF;
      look := ARRAY(SELECT shelf FROM unnest(look) AS shelf WHERE shelf <> ALL (bare));
    END IF;
    IF verified IS NOT NULL THEN
      seen := (SELECT count(*) FROM (
        SELECT FROM unnest(look) AS place (number) CROSS JOIN LATERAL (
          SELECT FROM earnest.shelved_offer AS offer JOIN earnest.service ON service.id = service_id
          WHERE shelf = place.number AND earnest.offer_terms(service_id) @@ coalesce(terms && also, terms)
            AND search @@ count_offers.verified
            AND offer.price BETWEEN price_from AND price_to AND offer.delivery_time_hours <= hours
            AND offer.completed_orders >= orders_from AND offer.score >= score_from AND offer.rating >= rating_from
            AND offer.on_time >= on_time_from
          OFFSET 0) AS found
        WHERE place.number >= earnest.shelf_of(orders_from, 0)
        LIMIT wanted) AS counted);
    ELSIF also IS NULL THEN
      seen := (SELECT count(*) FROM (
        SELECT FROM unnest(look) AS place (number) CROSS JOIN LATERAL (
          SELECT FROM earnest.shelved_offer
          WHERE shelf = place.number AND earnest.offer_terms(service_id) @@ terms
            AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
            AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
          OFFSET 0) AS found
        WHERE place.number >= earnest.shelf_of(orders_from, 0)
        LIMIT wanted) AS counted);
    ELSE
      SELECT count(*), min(number) INTO seen, least_found FROM (
        SELECT number FROM unnest(look) AS place (number) CROSS JOIN LATERAL (
          SELECT FROM earnest.shelved_offer
          WHERE shelf = place.number AND earnest.offer_terms(service_id) @@ terms AND earnest.offer_terms(service_id) @@ also
            AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
            AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
          OFFSET 0) AS found
        WHERE place.number >= earnest.shelf_of(orders_from, 0)
        LIMIT wanted) AS counted;
    END IF;
    IF seen >= wanted THEN RETURN most; END IF;
    IF step = 1 THEN lowest := least_found; END IF;
    IF step = 2 THEN whole := seen; ELSE drawn := drawn + seen; END IF;
    EXIT WHEN share = 1;
  END LOOP;
  RETURN whole + drawn;
END $$;--> statement-breakpoint
-- The plans of searches need no statistics of terms, which took minutes of an analysis of a million offers: each term looks up
-- a service.
DO $$
DECLARE part regclass;
BEGIN
  FOR part IN SELECT relid FROM pg_partition_tree('earnest.shelved_offer_terms') LOOP
    EXECUTE format('ALTER INDEX %s ALTER COLUMN 1 SET STATISTICS 0', part);
  END LOOP;
END $$;

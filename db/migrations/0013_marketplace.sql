-- For searches with slips of the pen. Both are trusted extensions: the database's owner may make them.
CREATE EXTENSION IF NOT EXISTS pg_trgm;--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS fuzzystrmatch;--> statement-breakpoint
CREATE TABLE "earnest"."market_word" (
	"word" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."offer_tally" (
	"category" text NOT NULL,
	"pricing_model" text NOT NULL,
	"delivery_step" integer NOT NULL,
	"price_digits" integer NOT NULL,
	"services" integer NOT NULL,
	CONSTRAINT "offer_tally_category_pricing_model_delivery_step_price_digits_pk" PRIMARY KEY("category","pricing_model","delivery_step","price_digits")
);
--> statement-breakpoint
DROP INDEX "earnest"."agent_listed";--> statement-breakpoint
DROP INDEX "earnest"."service_listed";--> statement-breakpoint
DROP INDEX "earnest"."agent_search";--> statement-breakpoint
DROP INDEX "earnest"."order_buyer";--> statement-breakpoint
DROP INDEX "earnest"."order_provider";--> statement-breakpoint
DROP INDEX "earnest"."service_price";--> statement-breakpoint
DROP INDEX "earnest"."service_category";--> statement-breakpoint
DROP INDEX "earnest"."service_tags";--> statement-breakpoint
DROP INDEX "earnest"."service_search";--> statement-breakpoint
ALTER TABLE "earnest"."agent" ADD COLUMN "completed_orders" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD COLUMN "listed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD COLUMN "completed_orders" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "market_word_nearest" ON "earnest"."market_word" USING gin ("word" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "agent_newest" ON "earnest"."agent" USING btree ("created_at","id") WHERE "earnest"."agent"."status" = 'published';--> statement-breakpoint
CREATE INDEX "agent_completed" ON "earnest"."agent" USING btree ("completed_orders","id") WHERE "earnest"."agent"."status" = 'published';--> statement-breakpoint
CREATE INDEX "agent_skills" ON "earnest"."agent" USING gin (("capabilities" -> 'skills')) WHERE "earnest"."agent"."status" = 'published';--> statement-breakpoint
CREATE INDEX "agent_languages" ON "earnest"."agent" USING gin (("capabilities" -> 'languages')) WHERE "earnest"."agent"."status" = 'published';--> statement-breakpoint
CREATE INDEX "service_agent" ON "earnest"."service" USING btree ("agent_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "service_newest" ON "earnest"."service" USING btree ("created_at","id") WHERE "earnest"."service"."listed";--> statement-breakpoint
CREATE INDEX "service_completed" ON "earnest"."service" USING btree ("completed_orders","id") WHERE "earnest"."service"."listed";--> statement-breakpoint
CREATE INDEX "agent_search" ON "earnest"."agent" USING gin ("search") WITH (fastupdate=false) WHERE "earnest"."agent"."status" = 'published';--> statement-breakpoint
CREATE INDEX "order_buyer" ON "earnest"."order" USING btree ("buyer_account_id","created_at","id","status");--> statement-breakpoint
CREATE INDEX "order_provider" ON "earnest"."order" USING btree ("provider_account_id","created_at","id","status");--> statement-breakpoint
CREATE INDEX "service_price" ON "earnest"."service" USING btree ("price","id","delivery_time_hours","category","pricing_model") WHERE "earnest"."service"."listed";--> statement-breakpoint
CREATE INDEX "service_category" ON "earnest"."service" USING btree ("category","created_at","id") WHERE "earnest"."service"."listed";--> statement-breakpoint
CREATE INDEX "service_tags" ON "earnest"."service" USING gin ("tags") WITH (fastupdate=false) WHERE "earnest"."service"."listed";--> statement-breakpoint
CREATE INDEX "service_search" ON "earnest"."service" USING gin ("search") WITH (fastupdate=false) WHERE "earnest"."service"."listed";--> statement-breakpoint
CREATE FUNCTION "earnest"."delivery_step"(hours integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN hours <= 1 THEN 1 WHEN hours <= 6 THEN 6 WHEN hours <= 24 THEN 24 WHEN hours <= 72 THEN 72
    WHEN hours <= 168 THEN 168 WHEN hours <= 720 THEN 720 ELSE 8760 END $$;--> statement-breakpoint
-- A price that is not set is 0 and has none.
CREATE FUNCTION "earnest"."price_digits"(price numeric) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN price = 0 THEN 0 ELSE length(price::text) END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."market_words"(words text) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT word FROM unnest(tsvector_to_array(to_tsvector('simple', words))) AS word
  WHERE length(word) BETWEEN 3 AND 40 AND word !~ '[^a-z\u0080-\U0010FFFF]' $$;--> statement-breakpoint
-- What is on the market when this migration runs.
UPDATE "earnest"."service" SET "listed" = true FROM "earnest"."agent"
  WHERE "agent"."id" = "agent_id" AND "agent"."status" = 'published' AND "service"."status" = 'published';--> statement-breakpoint
UPDATE "earnest"."service" SET "completed_orders" = "released"."orders"
  FROM (SELECT "service_id", count(*)::int AS "orders" FROM "earnest"."order" WHERE "status" = 'released' GROUP BY 1) AS "released"
  WHERE "id" = "released"."service_id";--> statement-breakpoint
UPDATE "earnest"."agent" SET "completed_orders" = "released"."orders"
  FROM (SELECT "agent_id", count(*)::int AS "orders" FROM "earnest"."order" WHERE "status" = 'released' GROUP BY 1) AS "released"
  WHERE "id" = "released"."agent_id";--> statement-breakpoint
INSERT INTO "earnest"."offer_tally"
  SELECT coalesce("category", ''), "pricing_model", earnest.delivery_step("delivery_time_hours"), earnest.price_digits("price"), count(*)
  FROM "earnest"."service" WHERE "listed" GROUP BY 1, 2, 3, 4;--> statement-breakpoint
INSERT INTO "earnest"."market_word"
  SELECT DISTINCT "word" FROM (
    SELECT earnest.market_words(concat_ws(' ', "title", earnest.join_words("tags"), "summary", "description")) AS "word"
      FROM "earnest"."service" WHERE "listed"
    UNION ALL
    SELECT earnest.market_words(concat_ws(' ', "name", "capabilities"::text, "tagline", "description"))
      FROM "earnest"."agent" WHERE "status" = 'published') AS "words";--> statement-breakpoint
-- A service that becomes published while its agent changes waits for that change: the agent's row is locked.
CREATE FUNCTION "earnest"."list_service"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.listed := false;
  IF NEW.status = 'published' THEN
    PERFORM FROM earnest.agent WHERE id = NEW.agent_id AND status = 'published' FOR SHARE;
    NEW.listed := FOUND;
  END IF;
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "service_listing" BEFORE INSERT OR UPDATE OF "status" ON "earnest"."service"
  FOR EACH ROW EXECUTE FUNCTION earnest.list_service();--> statement-breakpoint
CREATE FUNCTION "earnest"."list_services_of_agent"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE earnest.service SET listed = NEW.status = 'published'
    WHERE agent_id = NEW.id AND status = 'published' AND listed <> (NEW.status = 'published');
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "agent_listing" AFTER UPDATE OF "status" ON "earnest"."agent"
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status)
  EXECUTE FUNCTION earnest.list_services_of_agent();--> statement-breakpoint
-- Cells are changed in one order, so that two writers never wait for each other.
CREATE FUNCTION "earnest"."tally_inserted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.offer_tally AS tally (category, pricing_model, delivery_step, price_digits, services)
    SELECT coalesce(category, ''), pricing_model, earnest.delivery_step(delivery_time_hours), earnest.price_digits(price), sum(change)
    FROM (SELECT listed, category, pricing_model, delivery_time_hours, price, 1 AS change FROM written) AS changed
    WHERE listed GROUP BY 1, 2, 3, 4 HAVING sum(change) <> 0 ORDER BY 1, 2, 3, 4
    ON CONFLICT (category, pricing_model, delivery_step, price_digits)
    DO UPDATE SET services = tally.services + excluded.services;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."tally_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.offer_tally AS tally (category, pricing_model, delivery_step, price_digits, services)
    SELECT coalesce(category, ''), pricing_model, earnest.delivery_step(delivery_time_hours), earnest.price_digits(price), sum(change)
    FROM (SELECT listed, category, pricing_model, delivery_time_hours, price, 1 AS change FROM written UNION ALL SELECT listed, category, pricing_model, delivery_time_hours, price, -1 FROM replaced) AS changed
    WHERE listed GROUP BY 1, 2, 3, 4 HAVING sum(change) <> 0 ORDER BY 1, 2, 3, 4
    ON CONFLICT (category, pricing_model, delivery_step, price_digits)
    DO UPDATE SET services = tally.services + excluded.services;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."tally_deleted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.offer_tally AS tally (category, pricing_model, delivery_step, price_digits, services)
    SELECT coalesce(category, ''), pricing_model, earnest.delivery_step(delivery_time_hours), earnest.price_digits(price), sum(change)
    FROM (SELECT listed, category, pricing_model, delivery_time_hours, price, -1 AS change FROM replaced) AS changed
    WHERE listed GROUP BY 1, 2, 3, 4 HAVING sum(change) <> 0 ORDER BY 1, 2, 3, 4
    ON CONFLICT (category, pricing_model, delivery_step, price_digits)
    DO UPDATE SET services = tally.services + excluded.services;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "service_inserted" AFTER INSERT ON "earnest"."service" REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION earnest.tally_inserted();--> statement-breakpoint
CREATE TRIGGER "service_updated" AFTER UPDATE ON "earnest"."service" REFERENCING OLD TABLE AS replaced NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION earnest.tally_updated();--> statement-breakpoint
CREATE TRIGGER "service_deleted" AFTER DELETE ON "earnest"."service" REFERENCING OLD TABLE AS replaced
  FOR EACH STATEMENT EXECUTE FUNCTION earnest.tally_deleted();--> statement-breakpoint
CREATE FUNCTION "earnest"."note_words_of_service"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.market_word
    SELECT earnest.market_words(concat_ws(' ', NEW.title, earnest.join_words(NEW.tags), NEW.summary, NEW.description)) ORDER BY 1
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "service_words" AFTER INSERT OR UPDATE OF "status", "listed", "title", "tags", "summary", "description"
  ON "earnest"."service" FOR EACH ROW WHEN (NEW.listed) EXECUTE FUNCTION earnest.note_words_of_service();--> statement-breakpoint
CREATE FUNCTION "earnest"."note_words_of_agent"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.market_word
    SELECT earnest.market_words(concat_ws(' ', NEW.name, NEW.capabilities::text, NEW.tagline, NEW.description)) ORDER BY 1
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "agent_words" AFTER INSERT OR UPDATE OF "status", "name", "capabilities", "tagline", "description"
  ON "earnest"."agent" FOR EACH ROW WHEN (NEW.status = 'published') EXECUTE FUNCTION earnest.note_words_of_agent();--> statement-breakpoint
-- An order that is released counts, one whose release a reorganised chain took back does not. The agent goes first,
-- as wherever both are locked.
CREATE FUNCTION "earnest"."count_released_order"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE change integer := CASE WHEN NEW.status = 'released' THEN 1 ELSE -1 END;
BEGIN
  UPDATE earnest.agent SET completed_orders = completed_orders + change WHERE id = NEW.agent_id;
  UPDATE earnest.service SET completed_orders = completed_orders + change WHERE id = NEW.service_id;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "order_released" AFTER UPDATE OF "status" ON "earnest"."order" FOR EACH ROW
  WHEN ((OLD.status = 'released') <> (NEW.status = 'released')) EXECUTE FUNCTION earnest.count_released_order();

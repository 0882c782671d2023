CREATE TABLE "earnest"."offer" (
	"service_id" text PRIMARY KEY NOT NULL,
	"agent_id" text NOT NULL,
	"category" text,
	"tags" text[] NOT NULL,
	"pricing_model" text NOT NULL,
	"price" numeric(78, 0) NOT NULL,
	"delivery_time_hours" integer NOT NULL,
	"completed_orders" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "earnest"."service_newest";--> statement-breakpoint
DROP INDEX "earnest"."service_completed";--> statement-breakpoint
DROP INDEX "earnest"."service_price";--> statement-breakpoint
DROP INDEX "earnest"."service_category";--> statement-breakpoint
DROP INDEX "earnest"."service_tags";--> statement-breakpoint
DROP INDEX "earnest"."service_search";--> statement-breakpoint
DROP INDEX "earnest"."service_agent";--> statement-breakpoint
ALTER TABLE "earnest"."offer" ADD CONSTRAINT "offer_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- "Immutable" so that it can be indexed: what it reads of a service changes only together with the service's offer.
CREATE FUNCTION "earnest"."offer_search"(service_id text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
  SELECT "search" FROM "earnest"."service" WHERE "id" = service_id $$;--> statement-breakpoint
INSERT INTO "earnest"."offer"
  SELECT "id", "agent_id", "category", "tags", "pricing_model", "price", "delivery_time_hours", "completed_orders", "created_at"
  FROM "earnest"."service" WHERE "listed";--> statement-breakpoint
CREATE INDEX "offer_newest" ON "earnest"."offer" USING btree ("created_at","service_id");--> statement-breakpoint
CREATE INDEX "offer_completed" ON "earnest"."offer" USING btree ("completed_orders","service_id");--> statement-breakpoint
CREATE INDEX "offer_price" ON "earnest"."offer" USING btree ("price","service_id","delivery_time_hours","category","pricing_model");--> statement-breakpoint
CREATE INDEX "offer_category" ON "earnest"."offer" USING btree ("category","created_at","service_id");--> statement-breakpoint
CREATE INDEX "offer_agent" ON "earnest"."offer" USING btree ("agent_id","created_at","service_id");--> statement-breakpoint
CREATE INDEX "offer_tags" ON "earnest"."offer" USING gin ("tags") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "offer_search" ON "earnest"."offer" USING gin (earnest.offer_search("service_id")) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "service_agent" ON "earnest"."service" USING btree ("agent_id","status");--> statement-breakpoint
CREATE FUNCTION "earnest"."keep_offer"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Not updated in place: a row that is new is indexed by the service's new text.
  DELETE FROM earnest.offer WHERE service_id = NEW.id;
  IF NEW.listed THEN
    INSERT INTO earnest.offer
      VALUES (NEW.id, NEW.agent_id, NEW.category, NEW.tags, NEW.pricing_model, NEW.price, NEW.delivery_time_hours,
        NEW.completed_orders, NEW.created_at);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "service_offer_new" AFTER INSERT ON "earnest"."service"
  FOR EACH ROW WHEN (NEW.listed) EXECUTE FUNCTION earnest.keep_offer();--> statement-breakpoint
CREATE TRIGGER "service_offer" AFTER UPDATE OF "status", "listed", "title", "tags", "summary", "description", "category",
  "pricing_model", "price", "delivery_time_hours", "completed_orders", "created_at" ON "earnest"."service"
  FOR EACH ROW WHEN (OLD.listed OR NEW.listed) EXECUTE FUNCTION earnest.keep_offer();

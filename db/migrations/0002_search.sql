CREATE FUNCTION "earnest"."join_words"(words text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT array_to_string(words, ' ') $$;--> statement-breakpoint
ALTER TABLE "earnest"."agent" ADD COLUMN "search" "tsvector" GENERATED ALWAYS AS (setweight(to_tsvector('english', name), 'A')
        || setweight(jsonb_to_tsvector('english', capabilities, '["string"]'), 'B')
        || setweight(to_tsvector('english', coalesce(tagline, '')), 'C')
        || setweight(to_tsvector('english', coalesce(description, '')), 'D')) STORED;--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD COLUMN "search" "tsvector" GENERATED ALWAYS AS (setweight(to_tsvector('english', title), 'A')
        || setweight(to_tsvector('english', earnest.join_words(tags)), 'B')
        || setweight(to_tsvector('english', coalesce(summary, '')), 'C')
        || setweight(to_tsvector('english', coalesce(description, '')), 'D')) STORED;--> statement-breakpoint
CREATE INDEX "agent_search" ON "earnest"."agent" USING gin ("search");--> statement-breakpoint
CREATE INDEX "order_agent" ON "earnest"."order" USING btree ("agent_id","status");--> statement-breakpoint
CREATE INDEX "service_search" ON "earnest"."service" USING gin ("search");
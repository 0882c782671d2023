-- Made before the others go: meanwhile the table can be read.
CREATE UNIQUE INDEX "webhook_delivery_by_event" ON "earnest"."webhook_delivery" USING btree ("event_id","endpoint_id");--> statement-breakpoint
DROP INDEX "earnest"."webhook_delivery_event";--> statement-breakpoint
DROP INDEX "earnest"."webhook_delivery_once";--> statement-breakpoint
ALTER INDEX "earnest"."webhook_delivery_by_event" RENAME TO "webhook_delivery_once";--> statement-breakpoint
-- The id of the delivery of an event to an endpoint: the event's time, and of a hash of both ids 16 digits of base 32.
CREATE FUNCTION "earnest"."delivery_id"("event" text, "endpoint" text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  alphabet constant bytea := '0123456789abcdefghjkmnpqrstvwxyz';
  hash constant text := encode(sha256(convert_to(event || ' ' || endpoint, 'UTF8')), 'hex');
  -- With the version and the variant of a UUID of version 7.
  bits constant bit(80) := ('x7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::bit(80);
  id text := 'whd_' || substr(event, 5, 10);
BEGIN
  FOR digit IN 0..15 LOOP
    id := id || chr(get_byte(alphabet, substring(bits FROM 5 * digit + 1 FOR 5)::integer));
  END LOOP;
  RETURN id;
END $$;

CREATE TABLE "earnest"."log_publisher" (
	"chain_id" integer NOT NULL,
	"address" text NOT NULL,
	"size" bigint DEFAULT 0 NOT NULL,
	"queued_at" timestamp with time zone,
	CONSTRAINT "log_publisher_chain_id_address_pk" PRIMARY KEY("chain_id","address")
);

CREATE TABLE "earnest"."index_audit" (
	"chain_id" integer NOT NULL,
	"index" text NOT NULL,
	"audited_to" bigint NOT NULL,
	"audited_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lacks_from" bigint,
	"lacks_to" bigint,
	"reason" text,
	"rebuild_asked_at" timestamp with time zone,
	CONSTRAINT "index_audit_chain_id_index_pk" PRIMARY KEY("chain_id","index")
);

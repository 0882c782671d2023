CREATE TABLE "earnest"."account_settlement" (
	"account_id" text NOT NULL,
	"receipt_id" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "account_settlement_receipt_id_role_pk" PRIMARY KEY("receipt_id","role")
);
--> statement-breakpoint
ALTER TABLE "earnest"."account_settlement" ADD CONSTRAINT "account_settlement_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."account_settlement" ADD CONSTRAINT "account_settlement_receipt_id_receipt_id_fk" FOREIGN KEY ("receipt_id") REFERENCES "earnest"."receipt"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_settlement_list" ON "earnest"."account_settlement" USING btree ("account_id","created_at","receipt_id");--> statement-breakpoint
INSERT INTO "earnest"."account_settlement" ("account_id", "receipt_id", "role", "created_at")
SELECT o.buyer_account_id, r.id, 'buyer', r.created_at FROM earnest.receipt r JOIN earnest."order" o ON o.id = r.order_id
UNION ALL
SELECT o.provider_account_id, r.id, 'provider', r.created_at FROM earnest.receipt r JOIN earnest."order" o ON o.id = r.order_id;

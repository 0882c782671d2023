DROP INDEX "earnest"."organisation_invitation_open";--> statement-breakpoint
ALTER TABLE "earnest"."organisation_member" ADD COLUMN "invited_by" text;--> statement-breakpoint
ALTER TABLE "earnest"."organisation_member" ADD CONSTRAINT "organisation_member_invited_by_account_id_fk" FOREIGN KEY ("invited_by") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "organisation_invitation_received" ON "earnest"."organisation_invitation" USING btree ("address","created_at","id") WHERE "earnest"."organisation_invitation"."status" = 'open';--> statement-breakpoint
-- What its sender may not give any more, nobody accepts.
UPDATE "earnest"."organisation_invitation" AS "invited" SET "status" = 'revoked', "answered_at" = now()
  WHERE "status" = 'open' AND "invited"."invited_by" <> "invited"."account_id" AND NOT EXISTS (
    SELECT FROM "earnest"."organisation_member" AS "member"
    WHERE "member"."account_id" = "invited"."account_id" AND "member"."member_account_id" = "invited"."invited_by"
      AND ("member"."role" = 'owner' OR ("member"."role" = 'admin' AND "invited"."role" <> 'owner')));--> statement-breakpoint
-- Of several to one wallet, the newest stands.
UPDATE "earnest"."organisation_invitation" AS "invited" SET "status" = 'revoked', "answered_at" = now()
  WHERE "status" = 'open' AND EXISTS (
    SELECT FROM "earnest"."organisation_invitation" AS "newer"
    WHERE "newer"."account_id" = "invited"."account_id" AND "newer"."address" = "invited"."address" AND "newer"."status" = 'open'
      AND ("newer"."created_at", "newer"."id") > ("invited"."created_at", "invited"."id"));--> statement-breakpoint
UPDATE "earnest"."organisation_member" AS "member" SET "invited_by" = (
  SELECT "accepted"."invited_by" FROM "earnest"."organisation_invitation" AS "accepted"
    JOIN "earnest"."wallet" ON "wallet"."address" = "accepted"."address"
  WHERE "accepted"."account_id" = "member"."account_id" AND "wallet"."account_id" = "member"."member_account_id"
    AND "accepted"."status" = 'accepted'
  ORDER BY "accepted"."answered_at" DESC LIMIT 1);--> statement-breakpoint
CREATE UNIQUE INDEX "organisation_invitation_open" ON "earnest"."organisation_invitation" USING btree ("account_id","address") WHERE "earnest"."organisation_invitation"."status" = 'open';
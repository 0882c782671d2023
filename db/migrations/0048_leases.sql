CREATE TABLE "earnest"."lease" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"fence" bigint NOT NULL,
	"until" timestamp with time zone NOT NULL
);

-- The schema of Earnest. Hand-written parts stand before and after what drizzle-kit generates.

-- ==== Schema and extensions.
CREATE SCHEMA "earnest";--> statement-breakpoint
-- Searches with misspelled words need both. Both are trusted extensions: the owner of the database may create them.
CREATE EXTENSION IF NOT EXISTS pg_trgm;--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS fuzzystrmatch;--> statement-breakpoint

-- ==== Functions that generated columns and indexes call.
CREATE FUNCTION "earnest"."join_words"(words text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT array_to_string(words, ' ') $$;--> statement-breakpoint
-- The searched form of a text: composed (NFC), in lower case whatever the locale of the server, with one form of the Greek sigma.
-- Chinese and Japanese have no spaces between words, so each of their characters is a word, and a part of a text is a phrase.
CREATE FUNCTION "earnest"."fold_text"(words text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT regexp_replace(translate(lower(normalize(words, NFC) COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C",
    '([\u3005\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff])',
    ' \1 ', 'g') $$;--> statement-breakpoint
-- A word in letters that pg_trgm accepts whatever the locale of the server: each letter beyond ASCII is always replaced by the
-- same one of 26. Similar words stay similar, and a few different words become similar.
CREATE FUNCTION "earnest"."plain_letters"(word text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_agg(CASE WHEN ascii(letter) < 128 THEN letter ELSE chr(97 + ascii(letter) % 26) END, '' ORDER BY place)
  FROM string_to_table(word, NULL) WITH ORDINALITY AS letters (letter, place) $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."delivery_step"(hours integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN hours <= 1 THEN 1 WHEN hours <= 6 THEN 6 WHEN hours <= 24 THEN 24 WHEN hours <= 72 THEN 72
    WHEN hours <= 168 THEN 168 WHEN hours <= 720 THEN 720 ELSE 8760 END $$;--> statement-breakpoint
-- A price that is not set is 0 and has no digits.
CREATE FUNCTION "earnest"."price_digits"(price numeric) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN price = 0 THEN 0 ELSE length(price::text) END $$;--> statement-breakpoint
-- The steps of an offer's score, rating and punctuality. Few changes of a value change its step. An unknown value has no term.
CREATE FUNCTION "earnest"."figure_terms"(score smallint, rating smallint, on_time smallint) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_remove(ARRAY[
    CASE WHEN score > 0 THEN 's' || score / 100 END,
    CASE WHEN rating > 0 THEN 'r' || rating / 50 END,
    CASE WHEN on_time > 0 THEN 'o' || on_time / 5 END], NULL) $$;--> statement-breakpoint
-- An amount of base units in whole tokens, exactly.
CREATE FUNCTION "earnest"."in_tokens"(amount numeric, decimals integer) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (amount::text || 'e-' || decimals::text)::numeric $$;--> statement-breakpoint
-- The delivery deadline of an order, or the funding deadline before it is funded. The bound is the year 9999.
CREATE FUNCTION "earnest"."order_deadline"(delivery_deadline timestamptz, fund_by bigint) RETURNS timestamptz
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(delivery_deadline, to_timestamp(least(fund_by, 253402300799))) $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."pair_term"(first text, second text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT chr(1) || left(md5(first || ' ' || second), 5) $$;--> statement-breakpoint
-- The tokens of a service, each as `<chain id>:<address in lower case>`; `default` for the default chain's token.
CREATE FUNCTION "earnest"."accepted_tokens"(accepts jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN accepts IS NULL THEN '{default}'::text[]
    ELSE ARRAY(SELECT (item ->> 'chain_id') || ':' || lower(item ->> 'token') FROM jsonb_array_elements(accepts) AS item) END $$;--> statement-breakpoint
-- The terms that index an offer: its words; after a character 1, a hash of 20 bits of each two adjacent words; after a character
-- 2, the values of filters. The function is declared immutable so that an index can call it: the row of
-- `service` that it reads changes only together with the row of `offer`.
CREATE FUNCTION "earnest"."offer_terms"(service_id text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS $$
DECLARE terms tsvector;
BEGIN
  SELECT array_to_tsvector(tsvector_to_array(search)
    || ARRAY(
      SELECT earnest.pair_term(lexeme, following) FROM (
        SELECT lexeme, position, lead(lexeme) OVER side AS following, lead(position) OVER side AS next
        FROM unnest(search), unnest(positions) AS position WINDOW side AS (ORDER BY position)) AS word
      WHERE next = position + 1)
    || ARRAY(
      SELECT chr(2) || term FROM unnest(ARRAY['a' || agent_id, 'c' || category, 'm' || pricing_model,
        'd' || earnest.delivery_step(delivery_time_hours), 'p' || least(earnest.price_digits(price), 16),
        'p' || earnest.price_digits(price) || ':' || left(price::text, 1), 'u' || price_currency]) AS term WHERE term IS NOT NULL)
    || ARRAY(SELECT chr(2) || 'k' || token FROM unnest(earnest.accepted_tokens(accepts)) AS token)
    || ARRAY(SELECT chr(2) || 't' || tag FROM unnest(tags) AS tag)
    || ARRAY(SELECT chr(2) || 'v' || kind FROM unnest(verified) AS kind)
    || ARRAY(SELECT chr(2) || term FROM unnest(earnest.figure_terms(score, rating, on_time)) AS term))
  INTO terms FROM earnest.service WHERE id = service_id;
  RETURN terms;
END $$;--> statement-breakpoint
-- The terms that index an agent: its words; a hash of each two adjacent words, as for an offer; after a
-- character 2, its skills, its languages and its proofs. The function is declared immutable so that an index can call it: the row
-- of `agent` that it reads changes only together with the row of `listed_agent`.
CREATE FUNCTION "earnest"."agent_terms"(listed_id text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
DECLARE terms tsvector;
BEGIN
  SELECT array_to_tsvector(tsvector_to_array(search)
    || ARRAY(
      SELECT earnest.pair_term(lexeme, following) FROM (
        SELECT lexeme, position, lead(lexeme) OVER side AS following, lead(position) OVER side AS next
        FROM unnest(search), unnest(positions) AS position WINDOW side AS (ORDER BY position)) AS word
      WHERE next = position + 1)
    || ARRAY(SELECT chr(2) || 'k' || skill FROM jsonb_array_elements_text(capabilities -> 'skills') AS skill)
    || ARRAY(SELECT chr(2) || 'l' || tag FROM jsonb_array_elements_text(capabilities -> 'languages') AS tag)
    || ARRAY(SELECT chr(2) || 'v' || kind FROM unnest(verified) AS kind))
  INTO terms FROM earnest.agent WHERE id = listed_id;
  RETURN terms;
END $$;--> statement-breakpoint

-- ==== Tables, constraints and indexes, as drizzle-kit generates them from db/schema.ts. `PARTITION BY` is added by hand.
CREATE SEQUENCE "earnest"."event_position" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "earnest"."delivery_day" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "earnest"."delivery_day_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" text NOT NULL,
	"day" date NOT NULL,
	"agent_id" text NOT NULL,
	"delivery" text NOT NULL,
	"step" integer,
	"orders" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."escrow_sum" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "earnest"."escrow_sum_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" text NOT NULL,
	"role" text NOT NULL,
	"chain_id" integer NOT NULL,
	"token" text NOT NULL,
	"token_symbol" text NOT NULL,
	"token_decimals" integer NOT NULL,
	"held" numeric(78, 0) NOT NULL,
	"disputed" numeric(78, 0) NOT NULL,
	"orders" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."order_day" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "earnest"."order_day_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" text NOT NULL,
	"day" date NOT NULL,
	"role" text NOT NULL,
	"agent_id" text,
	"status" text NOT NULL,
	"orders" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."score_day" (
	"agent_id" text NOT NULL,
	"day" date NOT NULL,
	"score" integer,
	"upper" integer,
	"orders" integer NOT NULL,
	CONSTRAINT "score_day_agent_id_day_pk" PRIMARY KEY("agent_id","day")
);
--> statement-breakpoint
CREATE TABLE "earnest"."settlement_day" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "earnest"."settlement_day_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" text NOT NULL,
	"day" date NOT NULL,
	"recorded_on" date NOT NULL,
	"role" text NOT NULL,
	"claim" text NOT NULL,
	"agent_id" text,
	"chain_id" integer NOT NULL,
	"token" text NOT NULL,
	"token_symbol" text NOT NULL,
	"token_decimals" integer NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"settlements" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."webhook_day" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "earnest"."webhook_day_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" text NOT NULL,
	"day" date NOT NULL,
	"succeeded" integer NOT NULL,
	"failed" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."account" (
	"id" text PRIMARY KEY NOT NULL,
	"username" text,
	"display_name" text,
	"role" text DEFAULT 'member' NOT NULL,
	"network" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"banned_at" timestamp with time zone,
	"erasing_at" timestamp with time zone,
	"erased_at" timestamp with time zone,
	CONSTRAINT "account_username_unique" UNIQUE("username")
);
--> statement-breakpoint
CREATE TABLE "earnest"."api_key" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"scopes" text[] NOT NULL,
	"token_hash" text,
	"token_hint" text,
	"grant_id" text,
	"client_host" text,
	"created_by" text,
	"limits" jsonb,
	"allowed_ips" text[],
	"expires_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_key_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "api_key_grant_id_unique" UNIQUE("grant_id"),
	CONSTRAINT "api_key_has_token_or_grant" CHECK (("earnest"."api_key"."token_hash" is null) = ("earnest"."api_key"."grant_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "earnest"."device_sign_in" (
	"device_code_hash" text PRIMARY KEY NOT NULL,
	"user_code_hash" text NOT NULL,
	"user_agent" text,
	"network" text,
	"address_hash" text,
	"link_code_hash" text NOT NULL,
	"address" text,
	"chain_id" integer,
	"approved_at" timestamp with time zone,
	"approved_from" text,
	"refused_at" timestamp with time zone,
	"used_at" timestamp with time zone,
	"interval" integer NOT NULL,
	"polled_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "device_sign_in_user_code_hash_unique" UNIQUE("user_code_hash"),
	CONSTRAINT "device_sign_in_link_code_hash_unique" UNIQUE("link_code_hash"),
	CONSTRAINT "device_sign_in_has_wallet" CHECK (("earnest"."device_sign_in"."approved_at" is null) = ("earnest"."device_sign_in"."address" is null))
);
--> statement-breakpoint
CREATE TABLE "earnest"."organisation_invitation" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"address" text NOT NULL,
	"chain_id" integer,
	"role" text NOT NULL,
	"invited_by" text NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"answered_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."organisation_member" (
	"account_id" text NOT NULL,
	"member_account_id" text NOT NULL,
	"role" text NOT NULL,
	"invited_by" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "organisation_member_account_id_member_account_id_pk" PRIMARY KEY("account_id","member_account_id")
);
--> statement-breakpoint
CREATE TABLE "earnest"."session" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"holder" text DEFAULT 'program' NOT NULL,
	"token_hash" text NOT NULL,
	"address" text,
	"user_agent" text,
	"network" text,
	"last_used_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "session_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "session_browser_has_end" CHECK (("earnest"."session"."ends_at" is not null) = ("earnest"."session"."holder" = 'browser'))
);
--> statement-breakpoint
CREATE TABLE "earnest"."sign_in_nonce" (
	"nonce" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"chain_id" integer NOT NULL,
	"message_hash" text NOT NULL,
	"purpose" text DEFAULT 'sign_in' NOT NULL,
	"account_id" text,
	"device_code_hash" text,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."passkey" (
	"address" text PRIMARY KEY NOT NULL,
	"x" text NOT NULL,
	"y" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."wallet" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"address" text NOT NULL,
	"chain_id" integer,
	"proved_by" text NOT NULL,
	"is_primary" boolean DEFAULT false NOT NULL,
	"verified_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "wallet_contract_has_chain" CHECK (("earnest"."wallet"."chain_id" is not null) = ("earnest"."wallet"."proved_by" = 'contract'))
);
--> statement-breakpoint
CREATE TABLE "earnest"."log_publisher" (
	"chain_id" integer NOT NULL,
	"address" text NOT NULL,
	"size" bigint DEFAULT 0 NOT NULL,
	"queued_at" timestamp with time zone,
	CONSTRAINT "log_publisher_chain_id_address_pk" PRIMARY KEY("chain_id","address")
);
--> statement-breakpoint
CREATE TABLE "earnest"."open_request" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"tags" text[] NOT NULL,
	"budget" numeric(78, 0),
	"budget_currency" text,
	"status" text DEFAULT 'open' NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone,
	"announced_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."quote" (
	"id" text PRIMARY KEY NOT NULL,
	"request_id" text NOT NULL,
	"account_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"service_id" text NOT NULL,
	"price" numeric(78, 0) NOT NULL,
	"price_currency" text NOT NULL,
	"delivery_time_hours" integer NOT NULL,
	"stages" jsonb,
	"message" text,
	"status" text DEFAULT 'offered' NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"order_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "quote_order_id_unique" UNIQUE("order_id")
);
--> statement-breakpoint
CREATE TABLE "earnest"."subscription" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"service_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"provider_account_id" text NOT NULL,
	"price" numeric(78, 0) NOT NULL,
	"price_currency" text NOT NULL,
	"interval" text NOT NULL,
	"input_payload" jsonb,
	"settlement_rail" text NOT NULL,
	"chain_id" integer NOT NULL,
	"token" text NOT NULL,
	"buyer_address" text NOT NULL,
	"arbiter" text NOT NULL,
	"key_id" text,
	"status" text DEFAULT 'active' NOT NULL,
	"ended_reason" text,
	"periods" integer DEFAULT 0 NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"next_order_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."subscription_order" (
	"subscription_id" text NOT NULL,
	"period" integer NOT NULL,
	"order_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subscription_order_subscription_id_period_pk" PRIMARY KEY("subscription_id","period"),
	CONSTRAINT "subscription_order_order_id_unique" UNIQUE("order_id")
);
--> statement-breakpoint
CREATE TABLE "earnest"."execution" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"is_revision" boolean NOT NULL,
	"service_id" text NOT NULL,
	"account_id" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"reason" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"rejections" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_owner" text,
	"host" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."execution_attempt" (
	"execution_id" text NOT NULL,
	"number" integer NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"status_code" integer,
	"error" text,
	"message" text,
	"response_body" text,
	CONSTRAINT "execution_attempt_execution_id_number_pk" PRIMARY KEY("execution_id","number")
);
--> statement-breakpoint
CREATE TABLE "earnest"."execution_endpoint" (
	"service_id" text PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"answered_at" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"duration_ms" integer
);
--> statement-breakpoint
CREATE TABLE "earnest"."execution_host" (
	"host" text PRIMARY KEY NOT NULL,
	"answered_at" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"next_trial_at" timestamp with time zone,
	"busy_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."agent_identity" (
	"agent_id" text PRIMARY KEY NOT NULL,
	"chain_id" integer NOT NULL,
	"registry" text NOT NULL,
	"token_id" numeric(78, 0) NOT NULL,
	"agent_uri" text,
	"wallet" text NOT NULL,
	"authority" text NOT NULL,
	"verified_at" timestamp with time zone NOT NULL,
	"verified_block" bigint NOT NULL,
	"lost_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."feedback" (
	"order_id" text PRIMARY KEY NOT NULL,
	"file_hash" text NOT NULL,
	"status" text DEFAULT 'prepared' NOT NULL,
	"block_number" bigint,
	"block_hash" text,
	"transaction_hash" text,
	"log_index" integer,
	"feedback_index" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."feedback_file" (
	"hash" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"content" text NOT NULL,
	"chain_id" integer NOT NULL,
	"reputation_registry" text NOT NULL,
	"token_id" numeric(78, 0) NOT NULL,
	"client_address" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."lease" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"fence" bigint NOT NULL,
	"until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."mail_message" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"address" text NOT NULL,
	"canonical_address" text NOT NULL,
	"site" text,
	"network" text,
	"for_party" boolean DEFAULT false NOT NULL,
	"after" bigint,
	"up_to" bigint,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "mail_message_key_unique" UNIQUE("key")
);
--> statement-breakpoint
CREATE TABLE "earnest"."mail_setting" (
	"account_id" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"events" text[] NOT NULL,
	"mode" text NOT NULL,
	"language" text DEFAULT 'en' NOT NULL,
	"verified_at" timestamp with time zone,
	"verification_nonce" text,
	"verification_expires_at" timestamp with time zone,
	"stopped_at" timestamp with time zone,
	"stopped_reason" text,
	"set_by" text,
	"verified_by" text,
	"position" bigint DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL,
	"gap_seconds" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."agent" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"tagline" text,
	"description" text,
	"website_url" text,
	"avatar_url" text,
	"capabilities" jsonb NOT NULL,
	"api_endpoint" text,
	"status" text DEFAULT 'draft' NOT NULL,
	"payout_wallet" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"published_at" timestamp with time zone,
	"completed_orders" integer DEFAULT 0 NOT NULL,
	"verified" text[] DEFAULT '{}'::text[] NOT NULL,
	"score" smallint DEFAULT 0 NOT NULL,
	"rating" smallint DEFAULT 0 NOT NULL,
	"on_time" smallint DEFAULT 0 NOT NULL,
	"search" "tsvector" GENERATED ALWAYS AS (setweight(to_tsvector('english', earnest.fold_text(name)), 'A')
        || setweight(jsonb_to_tsvector('english', earnest.fold_text(capabilities::text)::jsonb, '["string"]'), 'B')
        || setweight(to_tsvector('english', earnest.fold_text(coalesce(tagline, ''))), 'C')
        || setweight(to_tsvector('english', earnest.fold_text(coalesce(description, ''))), 'D')) STORED,
	"erased_slug" text,
	CONSTRAINT "agent_slug_unique" UNIQUE("slug"),
	CONSTRAINT "agent_erased_slug_unique" UNIQUE("erased_slug")
);
--> statement-breakpoint
CREATE TABLE "earnest"."listed_agent" (
	"agent_id" text PRIMARY KEY NOT NULL,
	"completed_orders" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"score" smallint DEFAULT 0 NOT NULL,
	"rating" smallint DEFAULT 0 NOT NULL,
	"on_time" smallint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."market_figures_due" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "earnest"."market_figures_due_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."market_word" (
	"word" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."offer" (
	"service_id" text PRIMARY KEY NOT NULL,
	"agent_id" text NOT NULL,
	"category" text,
	"tags" text[] NOT NULL,
	"pricing_model" text NOT NULL,
	"price" numeric(78, 0) NOT NULL,
	"delivery_time_hours" integer NOT NULL,
	"completed_orders" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"verified" text[] DEFAULT '{}'::text[] NOT NULL,
	"score" smallint DEFAULT 0 NOT NULL,
	"rating" smallint DEFAULT 0 NOT NULL,
	"on_time" smallint DEFAULT 0 NOT NULL,
	"price_currency" text NOT NULL,
	"accepts" text[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."offer_tally" (
	"category" text NOT NULL,
	"pricing_model" text NOT NULL,
	"delivery_step" integer NOT NULL,
	"price_digits" integer NOT NULL,
	"price_currency" text NOT NULL,
	"services" integer NOT NULL,
	CONSTRAINT "offer_tally_pk" PRIMARY KEY("category","pricing_model","delivery_step","price_digits","price_currency")
);
--> statement-breakpoint
CREATE TABLE "earnest"."ranked_offer" (
	"tier" smallint NOT NULL,
	"service_id" text NOT NULL,
	"completed_orders" integer NOT NULL,
	"tiebreak" integer NOT NULL,
	"delivery_time_hours" integer NOT NULL,
	"price" numeric(78, 0) NOT NULL,
	"pricing_model" text NOT NULL,
	"category" text,
	"tags" text[] NOT NULL,
	"score" smallint DEFAULT 0 NOT NULL,
	"rating" smallint DEFAULT 0 NOT NULL,
	"on_time" smallint DEFAULT 0 NOT NULL,
	"proved" text[] NOT NULL,
	"price_currency" text NOT NULL,
	"accepts" text[] NOT NULL
) PARTITION BY LIST ("tier");
--> statement-breakpoint
CREATE TABLE "earnest"."service" (
	"id" text PRIMARY KEY NOT NULL,
	"agent_id" text NOT NULL,
	"slug" text NOT NULL,
	"title" text NOT NULL,
	"summary" text,
	"description" text,
	"category" text,
	"tags" text[] DEFAULT '{}'::text[] NOT NULL,
	"pricing_model" text NOT NULL,
	"price" numeric(78, 0) NOT NULL,
	"price_currency" text NOT NULL,
	"price_unit" text,
	"billing_interval" text,
	"min_quantity" integer DEFAULT 1 NOT NULL,
	"max_quantity" integer,
	"delivery_time_hours" integer NOT NULL,
	"acceptance_hours" integer NOT NULL,
	"accepts" jsonb,
	"arbiters" text[],
	"input_schema" jsonb,
	"output_schema" jsonb,
	"stages" jsonb,
	"execution_url" text,
	"execution_host" text,
	"execution_seconds" integer,
	"session_url" text,
	"session_key" text,
	"status" text DEFAULT 'draft' NOT NULL,
	"available" boolean DEFAULT true NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"published_at" timestamp with time zone,
	"listed" boolean DEFAULT false NOT NULL,
	"completed_orders" integer DEFAULT 0 NOT NULL,
	"verified" text[] DEFAULT '{}'::text[] NOT NULL,
	"score" smallint DEFAULT 0 NOT NULL,
	"rating" smallint DEFAULT 0 NOT NULL,
	"on_time" smallint DEFAULT 0 NOT NULL,
	"search" "tsvector" GENERATED ALWAYS AS (setweight(to_tsvector('english', earnest.fold_text(title)), 'A')
        || setweight(to_tsvector('english', earnest.fold_text(earnest.join_words(tags))), 'B')
        || setweight(to_tsvector('english', earnest.fold_text(coalesce(summary, ''))), 'C')
        || setweight(to_tsvector('english', earnest.fold_text(coalesce(description, ''))), 'D')) STORED
);
--> statement-breakpoint
CREATE TABLE "earnest"."notification_mark" (
	"event_id" text NOT NULL,
	"member_account_id" text NOT NULL,
	CONSTRAINT "notification_mark_event_id_member_account_id_pk" PRIMARY KEY("event_id","member_account_id")
);
--> statement-breakpoint
CREATE TABLE "earnest"."notification_read" (
	"account_id" text NOT NULL,
	"member_account_id" text NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "notification_read_account_id_member_account_id_pk" PRIMARY KEY("account_id","member_account_id")
);
--> statement-breakpoint
CREATE TABLE "earnest"."event" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigserial NOT NULL,
	"account_id" text NOT NULL,
	"type" text NOT NULL,
	"order_id" text,
	"fact_id" text,
	"key" text,
	"data" jsonb NOT NULL,
	"position" bigint,
	"notifies" boolean GENERATED ALWAYS AS (type not in ('order.started', 'delivery.recorded') and (type = 'order.approval_requested'
          or coalesce(data #>> '{entry,actor}' <> data #>> '{order,your_role}', true))
          and data #>> '{message,notifies}' is distinct from 'false') STORED NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."fact" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigserial NOT NULL,
	"order_id" text NOT NULL,
	"type" text NOT NULL,
	"actor" text NOT NULL,
	"key" text NOT NULL,
	"data" jsonb NOT NULL,
	"occurred_at" timestamp with time zone NOT NULL,
	"recorded_at" timestamp with time zone DEFAULT now() NOT NULL,
	"chain_id" integer,
	"block_number" bigint,
	"block_hash" text,
	"transaction_hash" text,
	"log_index" integer,
	CONSTRAINT "fact_key_unique" UNIQUE("key")
);
--> statement-breakpoint
CREATE TABLE "earnest"."oauth_client" (
	"id" text PRIMARY KEY NOT NULL,
	"metadata" jsonb NOT NULL,
	"network" text,
	"used_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."oauth_record" (
	"kind" text NOT NULL,
	"id_hash" text NOT NULL,
	"grant_id" text,
	"payload" jsonb NOT NULL,
	"consumed_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "oauth_record_kind_id_hash_pk" PRIMARY KEY("kind","id_hash")
);
--> statement-breakpoint
CREATE TABLE "earnest"."order" (
	"id" text PRIMARY KEY NOT NULL,
	"reference" text COLLATE "C" NOT NULL,
	"buyer_account_id" text NOT NULL,
	"provider_account_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"service_id" text NOT NULL,
	"agent_slug" text NOT NULL,
	"agent_name" text NOT NULL,
	"service_slug" text NOT NULL,
	"service_title" text NOT NULL,
	"settlement_rail" text NOT NULL,
	"quantity" integer NOT NULL,
	"unit_price" numeric(78, 0) NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"input_payload" jsonb,
	"output_payload" jsonb,
	"input_schema" jsonb,
	"output_schema" jsonb,
	"agreement" jsonb NOT NULL,
	"chain_id" integer NOT NULL,
	"escrow_contract" text NOT NULL,
	"buyer_address" text NOT NULL,
	"provider_address" text NOT NULL,
	"token" text NOT NULL,
	"token_symbol" text NOT NULL,
	"token_decimals" integer NOT NULL,
	"currency" text NOT NULL,
	"fund_by" bigint NOT NULL,
	"delivery_window" integer NOT NULL,
	"acceptance_window" bigint NOT NULL,
	"dispute_window" integer NOT NULL,
	"appeal_window" integer NOT NULL,
	"arbiter" text NOT NULL,
	"order_hash" text NOT NULL,
	"escrow_id" text NOT NULL,
	"deposit_address" text NOT NULL,
	"status" text NOT NULL,
	"funded_at" timestamp with time zone,
	"started_at" timestamp with time zone,
	"delivered_at" timestamp with time zone,
	"delivery_deadline" timestamp with time zone,
	"acceptance_ends_at" timestamp with time zone,
	"auto_release_at" timestamp with time zone,
	"release_due_at" timestamp with time zone,
	"disputed_at" timestamp with time zone,
	"completed_at" timestamp with time zone,
	"approval_status" text,
	"approval_requested_at" timestamp with time zone,
	"approval_decided_at" timestamp with time zone,
	"approval_decided_by" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"pricing_model" text NOT NULL,
	"delivered_units" integer,
	"charge" numeric(78, 0),
	"stages" jsonb,
	"delivered_stage" integer,
	"accepted_stages" integer,
	"erased_at" timestamp with time zone,
	CONSTRAINT "order_reference_unique" UNIQUE("reference")
);
--> statement-breakpoint
CREATE TABLE "earnest"."stage_output" (
	"order_id" text NOT NULL,
	"stage" integer NOT NULL,
	"output" jsonb,
	"output_hash" text NOT NULL,
	"delivered_at" timestamp with time zone NOT NULL,
	CONSTRAINT "stage_output_order_id_stage_pk" PRIMARY KEY("order_id","stage")
);
--> statement-breakpoint
CREATE TABLE "earnest"."traded_service" (
	"account_id" text NOT NULL,
	"side" text NOT NULL,
	"service_id" text NOT NULL,
	"service_title" text NOT NULL,
	"agent_name" text NOT NULL,
	"agent_slug" text NOT NULL,
	"words" text GENERATED ALWAYS AS (earnest.fold_text(service_title || chr(10) || agent_name)) STORED NOT NULL,
	CONSTRAINT "traded_service_pk" PRIMARY KEY("account_id","side","service_id","service_title","agent_name")
);
--> statement-breakpoint
CREATE TABLE "earnest"."agent_probe" (
	"agent_id" text PRIMARY KEY NOT NULL,
	"target_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."refused_payout" (
	"event_id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"account_id" text NOT NULL,
	"chain_id" integer NOT NULL,
	"contract" text NOT NULL,
	"payee" text NOT NULL,
	"token" text NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"block_number" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"refused_at" timestamp with time zone NOT NULL,
	"withdrawn_at" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_check_at" timestamp with time zone DEFAULT now()
);
--> statement-breakpoint
CREATE TABLE "earnest"."probe_tally" (
	"target_id" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"checks" integer NOT NULL,
	"ok" integer NOT NULL,
	CONSTRAINT "probe_tally_target_id_hour_pk" PRIMARY KEY("target_id","hour")
);
--> statement-breakpoint
CREATE TABLE "earnest"."probe_target" (
	"id" text PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"host" text NOT NULL,
	"phase" double precision NOT NULL,
	"next_probe_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_checked_at" timestamp with time zone,
	"last_ok_at" timestamp with time zone,
	"reachable" boolean,
	"status_code" integer,
	"latency_ms" integer,
	"tls_valid" boolean,
	"body_is_json" boolean,
	"consecutive_failures" integer DEFAULT 0 NOT NULL,
	"for_party" boolean DEFAULT false NOT NULL,
	"network" text,
	"checks_7d" integer DEFAULT 0 NOT NULL,
	"ok_7d" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."audit_entry" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"actor_account_id" text NOT NULL,
	"credential_id" text,
	"action" text NOT NULL,
	"target" text NOT NULL,
	"data" jsonb NOT NULL,
	"client_address" text,
	"request_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."idempotency_record" (
	"scope" text PRIMARY KEY NOT NULL,
	"request_hash" text NOT NULL,
	"effect_id" text NOT NULL,
	"leased_until" timestamp with time zone,
	"status" integer,
	"answer" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."rate_limit" (
	"bucket" text PRIMARY KEY NOT NULL,
	"full_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."account_settlement" (
	"account_id" text NOT NULL,
	"receipt_id" text NOT NULL,
	"role" text NOT NULL,
	"claim" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "account_settlement_receipt_id_role_pk" PRIMARY KEY("receipt_id","role")
);
--> statement-breakpoint
CREATE TABLE "earnest"."key_log" (
	"seq" integer PRIMARY KEY NOT NULL,
	"entry" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."receipt" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"fact_id" text NOT NULL,
	"claim" text NOT NULL,
	"document" jsonb NOT NULL,
	"x402_receipt" text,
	"revoked_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "receipt_fact_id_unique" UNIQUE("fact_id")
);
--> statement-breakpoint
CREATE TABLE "earnest"."receipt_status_list" (
	"issuer" text PRIMARY KEY NOT NULL,
	"document" jsonb NOT NULL,
	"issued_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."signing_key" (
	"kid" text PRIMARY KEY NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"not_before" timestamp with time zone NOT NULL,
	"retired_at" timestamp with time zone,
	"compromised_since" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."payment" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"account_id" text NOT NULL,
	"method" text NOT NULL,
	"payer" text NOT NULL,
	"nonce" text NOT NULL,
	"calls" jsonb NOT NULL,
	"step" integer DEFAULT 0 NOT NULL,
	"status" text DEFAULT 'accepted' NOT NULL,
	"error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"claimed_at" timestamp with time zone,
	"identifier" text
);
--> statement-breakpoint
CREATE TABLE "earnest"."periodic_task" (
	"name" text PRIMARY KEY NOT NULL,
	"due_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."relay" (
	"id" text PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"chain_id" integer NOT NULL,
	"order_id" text,
	"account_id" text,
	"to_address" text NOT NULL,
	"data" text NOT NULL,
	"signer" text,
	"for_funded" boolean DEFAULT false NOT NULL,
	"gas_bound" integer DEFAULT 600000 NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"sender" text,
	"nonce" integer,
	"transaction_hash" text,
	"mined_block" bigint,
	"mined_block_hash" text,
	"error" text,
	"trace_parent" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"queued_at" timestamp with time zone DEFAULT now() NOT NULL,
	"gas_charged" integer DEFAULT 0 NOT NULL,
	"gas_charged_before" integer DEFAULT 0 NOT NULL,
	"reverted_at" timestamp with time zone,
	"batch_id" text,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "relay_key_unique" UNIQUE("key")
);
--> statement-breakpoint
CREATE TABLE "earnest"."relay_attempt" (
	"transaction_hash" text PRIMARY KEY NOT NULL,
	"relay_id" text NOT NULL,
	"sender" text NOT NULL,
	"nonce" integer NOT NULL,
	"raw_transaction" text NOT NULL,
	"signed_block" bigint NOT NULL,
	"reverted" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."relay_gas" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "earnest"."relay_gas_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"scope" text NOT NULL,
	"minute" timestamp with time zone NOT NULL,
	"charged" bigint NOT NULL,
	"ended" bigint NOT NULL,
	"funded" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."relayer" (
	"chain_id" integer PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"balance" numeric(78, 0) NOT NULL,
	"gas_price" numeric(78, 0),
	"waiting" text,
	"waiting_since" timestamp with time zone,
	"seen_at" timestamp with time zone NOT NULL,
	"mined" bigint DEFAULT 0 NOT NULL,
	"failed" bigint DEFAULT 0 NOT NULL,
	"bumped" bigint DEFAULT 0 NOT NULL,
	"overtaken" bigint DEFAULT 0 NOT NULL,
	"gas_used" bigint DEFAULT 0 NOT NULL,
	"gas_reverted" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."agent_record" (
	"id" text PRIMARY KEY NOT NULL,
	"agent_id" text NOT NULL,
	"service_id" text,
	"record" jsonb NOT NULL,
	"score" integer,
	"upper" integer,
	"share" integer,
	"evidence" integer NOT NULL,
	"orders" integer NOT NULL,
	"on_time" integer,
	"outcomes" integer NOT NULL,
	"outcomes_root" text,
	"as_of" timestamp with time zone NOT NULL,
	"stated_as_of" timestamp with time zone,
	"version" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."agent_wallet" (
	"agent_id" text NOT NULL,
	"address" text NOT NULL,
	CONSTRAINT "agent_wallet_agent_id_address_pk" PRIMARY KEY("agent_id","address")
);
--> statement-breakpoint
CREATE TABLE "earnest"."counterparty" (
	"agent_id" text NOT NULL,
	"buyer_account_id" text NOT NULL,
	"number" integer NOT NULL,
	"orders" integer,
	"paid" jsonb,
	"wallets" text[],
	"wallet_since" timestamp with time zone,
	"other_providers" integer,
	"first_funded_at" timestamp with time zone,
	"last_settled_at" timestamp with time zone,
	"weight" integer,
	CONSTRAINT "counterparty_agent_id_buyer_account_id_pk" PRIMARY KEY("agent_id","buyer_account_id")
);
--> statement-breakpoint
CREATE TABLE "earnest"."order_outcome" (
	"order_id" text PRIMARY KEY NOT NULL,
	"agent_id" text NOT NULL,
	"service_id" text NOT NULL,
	"provider_account_id" text NOT NULL,
	"buyer_account_id" text NOT NULL,
	"chain_id" integer NOT NULL,
	"token" text NOT NULL,
	"token_decimals" integer NOT NULL,
	"currency" text NOT NULL,
	"provider_address" text NOT NULL,
	"buyer_address" text NOT NULL,
	"wallet" text NOT NULL,
	"wallet_proved" boolean NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"released" numeric(78, 0) NOT NULL,
	"refunded" numeric(78, 0) NOT NULL,
	"promised_seconds" integer NOT NULL,
	"funded_at" timestamp with time zone NOT NULL,
	"settled_at" timestamp with time zone NOT NULL,
	"delivered_at" timestamp with time zone,
	"ended" text NOT NULL,
	"dispute" text,
	"disputed_by" text,
	"disputed_at" timestamp with time zone,
	"apart" text,
	"recorded_at" timestamp with time zone NOT NULL,
	CONSTRAINT "order_outcome_whole" CHECK ("earnest"."order_outcome"."released" + "earnest"."order_outcome"."refunded" = "earnest"."order_outcome"."amount")
);
--> statement-breakpoint
CREATE TABLE "earnest"."proved_wallet" (
	"account_id" text NOT NULL,
	"address" text NOT NULL,
	"chain_id" integer
);
--> statement-breakpoint
CREATE TABLE "earnest"."provenance" (
	"provider_account_id" text NOT NULL,
	"wallet" text NOT NULL,
	"chain_id" integer NOT NULL,
	"token" text NOT NULL,
	"sent" numeric(78, 0) DEFAULT 0 NOT NULL,
	"tied" boolean DEFAULT false NOT NULL,
	"checked_at" timestamp with time zone,
	"attempted_at" timestamp with time zone,
	"next_check_at" timestamp with time zone DEFAULT now(),
	CONSTRAINT "provenance_provider_account_id_wallet_chain_id_token_pk" PRIMARY KEY("provider_account_id","wallet","chain_id","token")
);
--> statement-breakpoint
CREATE TABLE "earnest"."record_due" (
	"agent_id" text PRIMARY KEY NOT NULL,
	"changes" bigint DEFAULT 1 NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"ages_due_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."record_statement" (
	"agent_id" text PRIMARY KEY NOT NULL,
	"document" jsonb NOT NULL,
	"key_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."wallet_paid" (
	"chain_id" integer NOT NULL,
	"wallet" text NOT NULL,
	"provider_address" text NOT NULL,
	"orders" integer NOT NULL,
	CONSTRAINT "wallet_paid_wallet_provider_address_chain_id_pk" PRIMARY KEY("wallet","provider_address","chain_id")
);
--> statement-breakpoint
CREATE TABLE "earnest"."review" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"agent_id" text NOT NULL,
	"service_id" text NOT NULL,
	"buyer_account_id" text NOT NULL,
	"provider_account_id" text NOT NULL,
	"rating" smallint,
	"text" text,
	"settled" boolean DEFAULT true NOT NULL,
	"apart" boolean DEFAULT false NOT NULL,
	"edits" integer DEFAULT 0 NOT NULL,
	"edited_at" timestamp with time zone,
	"withdrawn_at" timestamp with time zone,
	"answer" text,
	"answered_at" timestamp with time zone,
	"reports" integer DEFAULT 0 NOT NULL,
	"marked" boolean DEFAULT false NOT NULL,
	"disputed_by_provider" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"hidden_at" timestamp with time zone,
	CONSTRAINT "review_order_id_unique" UNIQUE("order_id"),
	CONSTRAINT "review_rating" CHECK ("earnest"."review"."rating" between 1 and 5),
	CONSTRAINT "review_withdrawn" CHECK (("earnest"."review"."rating" is null) = ("earnest"."review"."withdrawn_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "earnest"."review_tally" (
	"service_id" text PRIMARY KEY NOT NULL,
	"agent_id" text NOT NULL,
	"rated_1" integer NOT NULL,
	"rated_2" integer NOT NULL,
	"rated_3" integer NOT NULL,
	"rated_4" integer NOT NULL,
	"rated_5" integer NOT NULL,
	"marked" integer NOT NULL,
	"withdrawn" integer NOT NULL,
	"apart" integer DEFAULT 0 NOT NULL,
	"hidden" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."key_spending" (
	"key_id" text NOT NULL,
	"order_id" text NOT NULL,
	"chain_id" integer NOT NULL,
	"token" text NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"refunded" numeric(78, 0) NOT NULL,
	"is_placed" boolean NOT NULL,
	"is_open" boolean DEFAULT true NOT NULL,
	"charged_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "key_spending_order_id_key_id_pk" PRIMARY KEY("order_id","key_id")
);
--> statement-breakpoint
CREATE TABLE "earnest"."log_entry" (
	"index" bigint PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"entry" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "log_entry_fact" UNIQUE("kind","subject")
);
--> statement-breakpoint
CREATE TABLE "earnest"."log_head" (
	"id" smallint PRIMARY KEY DEFAULT 1 NOT NULL,
	"vkey" text NOT NULL,
	"policy" text NOT NULL,
	"holder" text,
	"fence" bigint DEFAULT 0 NOT NULL,
	"held_until" timestamp with time zone,
	"size" bigint DEFAULT 0 NOT NULL,
	"root" text NOT NULL,
	"checkpoint" text,
	"checkpoint_at" timestamp with time zone,
	"waiting_since" timestamp with time zone,
	"published" text,
	"published_size" bigint DEFAULT 0 NOT NULL,
	"published_at" timestamp with time zone,
	"is_witnessed" boolean,
	"halted" text,
	"halted_because" text,
	"halted_by" text,
	"halted_at" timestamp with time zone,
	CONSTRAINT "log_head_one" CHECK ("earnest"."log_head"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "earnest"."log_queue" (
	"position" bigserial PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"revoked_at" timestamp with time zone,
	"refused" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "log_queue_fact" UNIQUE("kind","subject")
);
--> statement-breakpoint
CREATE TABLE "earnest"."log_tile" (
	"level" smallint NOT NULL,
	"index" bigint NOT NULL,
	"hashes" "bytea" NOT NULL,
	CONSTRAINT "log_tile_level_index_pk" PRIMARY KEY("level","index")
);
--> statement-breakpoint
CREATE TABLE "earnest"."log_witness" (
	"vkey" text PRIMARY KEY NOT NULL,
	"size" bigint DEFAULT 0 NOT NULL,
	"signed_at" timestamp with time zone,
	"failure" text,
	"failed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."agent_domain" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"agent_id" text,
	"domain" text NOT NULL,
	"site" text NOT NULL,
	"proof" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"method" text,
	"verified_at" timestamp with time zone,
	"lost_at" timestamp with time zone,
	"checked_at" timestamp with time zone,
	"next_check_at" timestamp with time zone DEFAULT now() NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"contested_at" timestamp with time zone,
	"problems" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."wallet_age" (
	"chain_id" integer NOT NULL,
	"address" text NOT NULL,
	"first_block" bigint,
	"first_at" timestamp with time zone,
	"checked_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "wallet_age_address_chain_id_pk" PRIMARY KEY("address","chain_id")
);
--> statement-breakpoint
CREATE TABLE "earnest"."chain_anchor" (
	"chain_id" integer NOT NULL,
	"block_number" bigint NOT NULL,
	"block_hash" text NOT NULL,
	CONSTRAINT "chain_anchor_chain_id_block_number_pk" PRIMARY KEY("chain_id","block_number")
);
--> statement-breakpoint
CREATE TABLE "earnest"."chain_watch" (
	"chain_id" integer PRIMARY KEY NOT NULL,
	"index_state" text NOT NULL,
	"reason" text,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	"head_block" bigint NOT NULL,
	"indexed_block" bigint NOT NULL,
	"moved_at" timestamp with time zone DEFAULT now() NOT NULL,
	"checked_at" timestamp with time zone DEFAULT now() NOT NULL,
	"reconciled_up_to" text DEFAULT '' NOT NULL,
	"reconciled_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."divergence" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"chain_id" integer NOT NULL,
	"what" text NOT NULL,
	"ledger" text,
	"index" text,
	"contract" text,
	"explanation" text NOT NULL,
	"found_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"observations" integer DEFAULT 1 NOT NULL,
	"resolved_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."index_audit" (
	"chain_id" integer NOT NULL,
	"index" text NOT NULL,
	"audited_to" bigint NOT NULL,
	"audited_at" timestamp with time zone DEFAULT now() NOT NULL,
	"missing_from" bigint,
	"missing_to" bigint,
	"reason" text,
	"rebuild_requested_at" timestamp with time zone,
	CONSTRAINT "index_audit_chain_id_index_pk" PRIMARY KEY("chain_id","index")
);
--> statement-breakpoint
CREATE TABLE "earnest"."webhook_attempt" (
	"delivery_id" text NOT NULL,
	"number" integer NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"latency_ms" integer,
	"status_code" integer,
	"error" text,
	"request_headers" jsonb NOT NULL,
	"response_body" text,
	CONSTRAINT "webhook_attempt_delivery_id_number_pk" PRIMARY KEY("delivery_id","number")
);
--> statement-breakpoint
CREATE TABLE "earnest"."webhook_delivery" (
	"id" text PRIMARY KEY NOT NULL,
	"endpoint_id" text NOT NULL,
	"event_id" text,
	"type" text NOT NULL,
	"test_body" jsonb,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_owner" text,
	"leased_until" timestamp with time zone,
	"last_status_code" integer,
	"last_error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."webhook_endpoint" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"url" text NOT NULL,
	"host" text NOT NULL,
	"description" text,
	"events" text[] NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"disabled_reason" text,
	"secret_version" integer DEFAULT 1 NOT NULL,
	"url_by" text,
	"secret_by" text,
	"previous_secret_until" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"acknowledged_at" timestamp with time zone,
	"next_trial_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "earnest"."webhook_host" (
	"host" text PRIMARY KEY NOT NULL,
	"acknowledged_at" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"next_trial_at" timestamp with time zone,
	"busy_until" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."webhook_recovery" (
	"id" text PRIMARY KEY NOT NULL,
	"endpoint_id" text NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"until" timestamp with time zone NOT NULL,
	"status" text DEFAULT 'running' NOT NULL,
	"cursor" bigint DEFAULT 0 NOT NULL,
	"queued" integer DEFAULT 0 NOT NULL,
	"total" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "earnest"."webhook_sender" (
	"account_id" text PRIMARY KEY NOT NULL,
	"tried_at" timestamp with time zone,
	"busy_until" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "earnest"."score_day" ADD CONSTRAINT "score_day_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."api_key" ADD CONSTRAINT "api_key_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."api_key" ADD CONSTRAINT "api_key_created_by_account_id_fk" FOREIGN KEY ("created_by") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."organisation_invitation" ADD CONSTRAINT "organisation_invitation_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."organisation_invitation" ADD CONSTRAINT "organisation_invitation_invited_by_account_id_fk" FOREIGN KEY ("invited_by") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."organisation_member" ADD CONSTRAINT "organisation_member_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."organisation_member" ADD CONSTRAINT "organisation_member_member_account_id_account_id_fk" FOREIGN KEY ("member_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."organisation_member" ADD CONSTRAINT "organisation_member_invited_by_account_id_fk" FOREIGN KEY ("invited_by") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."session" ADD CONSTRAINT "session_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."sign_in_nonce" ADD CONSTRAINT "sign_in_nonce_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."wallet" ADD CONSTRAINT "wallet_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."open_request" ADD CONSTRAINT "open_request_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."quote" ADD CONSTRAINT "quote_request_id_open_request_id_fk" FOREIGN KEY ("request_id") REFERENCES "earnest"."open_request"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."quote" ADD CONSTRAINT "quote_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."quote" ADD CONSTRAINT "quote_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."quote" ADD CONSTRAINT "quote_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."quote" ADD CONSTRAINT "quote_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."subscription" ADD CONSTRAINT "subscription_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."subscription" ADD CONSTRAINT "subscription_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."subscription" ADD CONSTRAINT "subscription_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."subscription" ADD CONSTRAINT "subscription_provider_account_id_account_id_fk" FOREIGN KEY ("provider_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."subscription" ADD CONSTRAINT "subscription_key_id_api_key_id_fk" FOREIGN KEY ("key_id") REFERENCES "earnest"."api_key"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."subscription_order" ADD CONSTRAINT "subscription_order_subscription_id_subscription_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "earnest"."subscription"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."subscription_order" ADD CONSTRAINT "subscription_order_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."execution" ADD CONSTRAINT "execution_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."execution" ADD CONSTRAINT "execution_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."execution" ADD CONSTRAINT "execution_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."execution_attempt" ADD CONSTRAINT "execution_attempt_execution_id_execution_id_fk" FOREIGN KEY ("execution_id") REFERENCES "earnest"."execution"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."execution_endpoint" ADD CONSTRAINT "execution_endpoint_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."agent_identity" ADD CONSTRAINT "agent_identity_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."feedback" ADD CONSTRAINT "feedback_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."feedback" ADD CONSTRAINT "feedback_file_hash_feedback_file_hash_fk" FOREIGN KEY ("file_hash") REFERENCES "earnest"."feedback_file"("hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."feedback_file" ADD CONSTRAINT "feedback_file_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."mail_message" ADD CONSTRAINT "mail_message_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."mail_setting" ADD CONSTRAINT "mail_setting_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."mail_setting" ADD CONSTRAINT "mail_setting_set_by_account_id_fk" FOREIGN KEY ("set_by") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."mail_setting" ADD CONSTRAINT "mail_setting_verified_by_account_id_fk" FOREIGN KEY ("verified_by") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."agent" ADD CONSTRAINT "agent_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."listed_agent" ADD CONSTRAINT "listed_agent_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."offer" ADD CONSTRAINT "offer_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."service" ADD CONSTRAINT "service_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."notification_mark" ADD CONSTRAINT "notification_mark_event_id_event_id_fk" FOREIGN KEY ("event_id") REFERENCES "earnest"."event"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."notification_mark" ADD CONSTRAINT "notification_mark_member_account_id_account_id_fk" FOREIGN KEY ("member_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."notification_read" ADD CONSTRAINT "notification_read_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."notification_read" ADD CONSTRAINT "notification_read_member_account_id_account_id_fk" FOREIGN KEY ("member_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."event" ADD CONSTRAINT "event_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."event" ADD CONSTRAINT "event_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."event" ADD CONSTRAINT "event_fact_id_fact_id_fk" FOREIGN KEY ("fact_id") REFERENCES "earnest"."fact"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."fact" ADD CONSTRAINT "fact_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order" ADD CONSTRAINT "order_buyer_account_id_account_id_fk" FOREIGN KEY ("buyer_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order" ADD CONSTRAINT "order_provider_account_id_account_id_fk" FOREIGN KEY ("provider_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order" ADD CONSTRAINT "order_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order" ADD CONSTRAINT "order_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."agent_probe" ADD CONSTRAINT "agent_probe_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."agent_probe" ADD CONSTRAINT "agent_probe_target_id_probe_target_id_fk" FOREIGN KEY ("target_id") REFERENCES "earnest"."probe_target"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."probe_tally" ADD CONSTRAINT "probe_tally_target_id_probe_target_id_fk" FOREIGN KEY ("target_id") REFERENCES "earnest"."probe_target"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."audit_entry" ADD CONSTRAINT "audit_entry_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."audit_entry" ADD CONSTRAINT "audit_entry_actor_account_id_account_id_fk" FOREIGN KEY ("actor_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."account_settlement" ADD CONSTRAINT "account_settlement_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."account_settlement" ADD CONSTRAINT "account_settlement_receipt_id_receipt_id_fk" FOREIGN KEY ("receipt_id") REFERENCES "earnest"."receipt"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."stage_output" ADD CONSTRAINT "stage_output_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."receipt" ADD CONSTRAINT "receipt_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."receipt" ADD CONSTRAINT "receipt_fact_id_fact_id_fk" FOREIGN KEY ("fact_id") REFERENCES "earnest"."fact"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."payment" ADD CONSTRAINT "payment_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."payment" ADD CONSTRAINT "payment_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."relay" ADD CONSTRAINT "relay_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."relay" ADD CONSTRAINT "relay_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."relay_attempt" ADD CONSTRAINT "relay_attempt_relay_id_relay_id_fk" FOREIGN KEY ("relay_id") REFERENCES "earnest"."relay"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."agent_record" ADD CONSTRAINT "agent_record_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."agent_record" ADD CONSTRAINT "agent_record_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."agent_wallet" ADD CONSTRAINT "agent_wallet_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."counterparty" ADD CONSTRAINT "counterparty_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."counterparty" ADD CONSTRAINT "counterparty_buyer_account_id_account_id_fk" FOREIGN KEY ("buyer_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order_outcome" ADD CONSTRAINT "order_outcome_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order_outcome" ADD CONSTRAINT "order_outcome_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order_outcome" ADD CONSTRAINT "order_outcome_provider_account_id_account_id_fk" FOREIGN KEY ("provider_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order_outcome" ADD CONSTRAINT "order_outcome_counterparty" FOREIGN KEY ("agent_id","buyer_account_id") REFERENCES "earnest"."counterparty"("agent_id","buyer_account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."proved_wallet" ADD CONSTRAINT "proved_wallet_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."provenance" ADD CONSTRAINT "provenance_provider_account_id_account_id_fk" FOREIGN KEY ("provider_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."record_due" ADD CONSTRAINT "record_due_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."record_statement" ADD CONSTRAINT "record_statement_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."review" ADD CONSTRAINT "review_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."review" ADD CONSTRAINT "review_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."review" ADD CONSTRAINT "review_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."review" ADD CONSTRAINT "review_buyer_account_id_account_id_fk" FOREIGN KEY ("buyer_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."review" ADD CONSTRAINT "review_provider_account_id_account_id_fk" FOREIGN KEY ("provider_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."review_tally" ADD CONSTRAINT "review_tally_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "earnest"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."refused_payout" ADD CONSTRAINT "refused_payout_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."refused_payout" ADD CONSTRAINT "refused_payout_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."key_spending" ADD CONSTRAINT "key_spending_key_id_api_key_id_fk" FOREIGN KEY ("key_id") REFERENCES "earnest"."api_key"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."key_spending" ADD CONSTRAINT "key_spending_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."agent_domain" ADD CONSTRAINT "agent_domain_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."agent_domain" ADD CONSTRAINT "agent_domain_agent_id_agent_id_fk" FOREIGN KEY ("agent_id") REFERENCES "earnest"."agent"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."divergence" ADD CONSTRAINT "divergence_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_attempt" ADD CONSTRAINT "webhook_attempt_delivery_id_webhook_delivery_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "earnest"."webhook_delivery"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_delivery" ADD CONSTRAINT "webhook_delivery_endpoint_id_webhook_endpoint_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "earnest"."webhook_endpoint"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_delivery" ADD CONSTRAINT "webhook_delivery_event_id_event_id_fk" FOREIGN KEY ("event_id") REFERENCES "earnest"."event"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_url_by_account_id_fk" FOREIGN KEY ("url_by") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_secret_by_account_id_fk" FOREIGN KEY ("secret_by") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_recovery" ADD CONSTRAINT "webhook_recovery_endpoint_id_webhook_endpoint_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "earnest"."webhook_endpoint"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."webhook_sender" ADD CONSTRAINT "webhook_sender_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "delivery_day_of" ON "earnest"."delivery_day" USING btree ("account_id","day","agent_id");--> statement-breakpoint
CREATE INDEX "escrow_sum_of" ON "earnest"."escrow_sum" USING btree ("account_id","role");--> statement-breakpoint
CREATE INDEX "order_day_of" ON "earnest"."order_day" USING btree ("account_id","day","role","status");--> statement-breakpoint
CREATE INDEX "score_day_old" ON "earnest"."score_day" USING btree ("day");--> statement-breakpoint
CREATE INDEX "settlement_day_of" ON "earnest"."settlement_day" USING btree ("account_id","day","role","claim");--> statement-breakpoint
CREATE INDEX "webhook_day_of" ON "earnest"."webhook_day" USING btree ("account_id","day");--> statement-breakpoint
CREATE INDEX "webhook_day_old" ON "earnest"."webhook_day" USING btree ("day");--> statement-breakpoint
CREATE INDEX "account_network" ON "earnest"."account" USING btree ("network");--> statement-breakpoint
CREATE INDEX "oauth_client_unused" ON "earnest"."oauth_client" USING btree ("used_at","created_at");--> statement-breakpoint
CREATE INDEX "oauth_record_grant" ON "earnest"."oauth_record" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "oauth_record_expires" ON "earnest"."oauth_record" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "api_key_account" ON "earnest"."api_key" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "organisation_invitation_account" ON "earnest"."organisation_invitation" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "organisation_invitation_received" ON "earnest"."organisation_invitation" USING btree ("address","created_at","id") WHERE "earnest"."organisation_invitation"."status" = 'open';--> statement-breakpoint
CREATE UNIQUE INDEX "organisation_invitation_open" ON "earnest"."organisation_invitation" USING btree ("account_id","address") WHERE "earnest"."organisation_invitation"."status" = 'open';--> statement-breakpoint
CREATE INDEX "organisation_member_of" ON "earnest"."organisation_member" USING btree ("member_account_id");--> statement-breakpoint
CREATE INDEX "device_sign_in_expires" ON "earnest"."device_sign_in" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "session_account" ON "earnest"."session" USING btree ("account_id","created_at","id") WHERE "earnest"."session"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "sign_in_nonce_expires" ON "earnest"."sign_in_nonce" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "wallet_account" ON "earnest"."wallet" USING btree ("account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_address" ON "earnest"."wallet" USING btree ("address",coalesce("chain_id", 0));--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_primary" ON "earnest"."wallet" USING btree ("account_id") WHERE "earnest"."wallet"."is_primary";--> statement-breakpoint
CREATE INDEX "open_request_account" ON "earnest"."open_request" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "open_request_listed" ON "earnest"."open_request" USING btree ("created_at","id") WHERE "earnest"."open_request"."status" = 'open';--> statement-breakpoint
CREATE INDEX "open_request_tags" ON "earnest"."open_request" USING gin ("tags");--> statement-breakpoint
CREATE INDEX "open_request_unannounced" ON "earnest"."open_request" USING btree ("created_at") WHERE "earnest"."open_request"."announced_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "quote_offered" ON "earnest"."quote" USING btree ("request_id","service_id") WHERE "earnest"."quote"."status" = 'offered';--> statement-breakpoint
CREATE UNIQUE INDEX "quote_accepted" ON "earnest"."quote" USING btree ("request_id") WHERE "earnest"."quote"."status" = 'accepted';--> statement-breakpoint
CREATE INDEX "quote_request" ON "earnest"."quote" USING btree ("request_id","created_at","id");--> statement-breakpoint
CREATE INDEX "quote_account" ON "earnest"."quote" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "subscription_account" ON "earnest"."subscription" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "subscription_provider" ON "earnest"."subscription" USING btree ("provider_account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "subscription_due" ON "earnest"."subscription" USING btree ("next_order_at") WHERE "earnest"."subscription"."status" = 'active';--> statement-breakpoint
CREATE UNIQUE INDEX "execution_once" ON "earnest"."execution" USING btree ("order_id","is_revision");--> statement-breakpoint
CREATE INDEX "execution_due" ON "earnest"."execution" USING btree ("next_attempt_at") WHERE "earnest"."execution"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "execution_pending" ON "earnest"."execution" USING btree ("service_id","next_attempt_at") WHERE "earnest"."execution"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "execution_held" ON "earnest"."execution" USING btree ("next_attempt_at") WHERE "earnest"."execution"."lease_owner" is not null;--> statement-breakpoint
CREATE INDEX "execution_recent" ON "earnest"."execution" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "execution_attempt_old" ON "earnest"."execution_attempt" USING btree ("started_at");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_identity_linked" ON "earnest"."agent_identity" USING btree ("chain_id","registry","token_id") WHERE "earnest"."agent_identity"."lost_at" is null;--> statement-breakpoint
CREATE INDEX "agent_identity_due" ON "earnest"."agent_identity" USING btree ("verified_at") WHERE "earnest"."agent_identity"."lost_at" is null;--> statement-breakpoint
CREATE INDEX "feedback_seen" ON "earnest"."feedback" USING btree ("block_number") WHERE "earnest"."feedback"."status" <> 'prepared';--> statement-breakpoint
CREATE INDEX "feedback_submitted" ON "earnest"."feedback" USING btree ("updated_at") WHERE "earnest"."feedback"."status" = 'submitted';--> statement-breakpoint
CREATE INDEX "feedback_file_order" ON "earnest"."feedback_file" USING btree ("order_id","created_at");--> statement-breakpoint
CREATE INDEX "mail_message_due" ON "earnest"."mail_message" USING btree ("next_attempt_at") WHERE "earnest"."mail_message"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "mail_message_account" ON "earnest"."mail_message" USING btree ("account_id","kind","created_at");--> statement-breakpoint
CREATE INDEX "mail_message_address" ON "earnest"."mail_message" USING btree ("canonical_address","kind");--> statement-breakpoint
CREATE INDEX "mail_message_old" ON "earnest"."mail_message" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "mail_message_sent" ON "earnest"."mail_message" USING btree ("finished_at") WHERE "earnest"."mail_message"."status" = 'sent';--> statement-breakpoint
CREATE INDEX "mail_setting_due" ON "earnest"."mail_setting" USING btree ("next_at") WHERE "earnest"."mail_setting"."verified_at" is not null and "earnest"."mail_setting"."stopped_at" is null;--> statement-breakpoint
CREATE INDEX "mail_setting_unverified" ON "earnest"."mail_setting" USING btree ("created_at") WHERE "earnest"."mail_setting"."verified_at" is null;--> statement-breakpoint
CREATE INDEX "agent_account" ON "earnest"."agent" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "agent_newest" ON "earnest"."agent" USING btree ("created_at","id") WHERE "earnest"."agent"."status" = 'published';--> statement-breakpoint
CREATE INDEX "agent_completed" ON "earnest"."agent" USING btree ("completed_orders","id") WHERE "earnest"."agent"."status" = 'published';--> statement-breakpoint
CREATE INDEX "agent_updated" ON "earnest"."agent" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "agent_score" ON "earnest"."agent" USING btree ("score","completed_orders","id") WHERE "earnest"."agent"."status" = 'published';--> statement-breakpoint
CREATE INDEX "listed_agent_terms" ON "earnest"."listed_agent" USING gin (earnest.agent_terms("agent_id")) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "market_word_nearest" ON "earnest"."market_word" USING gin (earnest.plain_letters("word") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "offer_newest" ON "earnest"."offer" USING btree ("created_at","service_id");--> statement-breakpoint
CREATE INDEX "offer_completed" ON "earnest"."offer" USING btree ("completed_orders","service_id","created_at");--> statement-breakpoint
CREATE INDEX "offer_score" ON "earnest"."offer" USING btree ("score","completed_orders","service_id","created_at");--> statement-breakpoint
CREATE INDEX "offer_price" ON "earnest"."offer" USING btree ("price_currency","price","service_id","delivery_time_hours","category","pricing_model");--> statement-breakpoint
CREATE INDEX "offer_category" ON "earnest"."offer" USING btree ("category","created_at","service_id");--> statement-breakpoint
CREATE INDEX "offer_agent" ON "earnest"."offer" USING btree ("agent_id","created_at","service_id");--> statement-breakpoint
CREATE INDEX "ranked_offer_service" ON "earnest"."ranked_offer" USING btree ("service_id");--> statement-breakpoint
CREATE INDEX "ranked_offer_terms" ON "earnest"."ranked_offer" USING gin (earnest.offer_terms("service_id")) WITH (fastupdate=false);--> statement-breakpoint
CREATE UNIQUE INDEX "service_slug" ON "earnest"."service" USING btree ("agent_id","slug");--> statement-breakpoint
CREATE INDEX "service_agent" ON "earnest"."service" USING btree ("agent_id","status");--> statement-breakpoint
CREATE INDEX "service_execution_host" ON "earnest"."service" USING btree ("execution_host") WHERE "earnest"."service"."execution_host" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "event_once" ON "earnest"."event" USING btree ("fact_id","account_id","type");--> statement-breakpoint
CREATE UNIQUE INDEX "event_key" ON "earnest"."event" USING btree ("account_id","key") WHERE "earnest"."event"."key" is not null;--> statement-breakpoint
CREATE INDEX "event_feed" ON "earnest"."event" USING btree ("account_id","position");--> statement-breakpoint
CREATE INDEX "event_notification" ON "earnest"."event" USING btree ("account_id","position") WHERE "earnest"."event"."notifies";--> statement-breakpoint
CREATE INDEX "event_unpositioned" ON "earnest"."event" USING btree ("account_id","seq") WHERE "earnest"."event"."position" is null;--> statement-breakpoint
CREATE INDEX "event_old" ON "earnest"."event" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "fact_order" ON "earnest"."fact" USING btree ("order_id","seq");--> statement-breakpoint
CREATE INDEX "fact_block" ON "earnest"."fact" USING btree ("chain_id","block_number") WHERE "earnest"."fact"."chain_id" is not null;--> statement-breakpoint
CREATE INDEX "fact_reverted" ON "earnest"."fact" USING btree ("order_id") WHERE "earnest"."fact"."type" = 'fact.reverted';--> statement-breakpoint
CREATE UNIQUE INDEX "order_escrow" ON "earnest"."order" USING btree ("chain_id","escrow_id");--> statement-breakpoint
CREATE INDEX "order_deposit" ON "earnest"."order" USING btree ("deposit_address");--> statement-breakpoint
CREATE INDEX "order_buyer" ON "earnest"."order" USING btree ("buyer_account_id","created_at","id","status","service_id","token_symbol");--> statement-breakpoint
CREATE INDEX "order_provider" ON "earnest"."order" USING btree ("provider_account_id","created_at","id","status","service_id","token_symbol");--> statement-breakpoint
CREATE INDEX "order_buyer_value" ON "earnest"."order" USING btree ("buyer_account_id","token_symbol",earnest.in_tokens("amount", "token_decimals"),"id","status","service_id");--> statement-breakpoint
CREATE INDEX "order_provider_value" ON "earnest"."order" USING btree ("provider_account_id","token_symbol",earnest.in_tokens("amount", "token_decimals"),"id","status","service_id");--> statement-breakpoint
CREATE INDEX "order_buyer_deadline" ON "earnest"."order" USING btree ("buyer_account_id",earnest.order_deadline("delivery_deadline", "fund_by"),"id","status","service_id","token_symbol");--> statement-breakpoint
CREATE INDEX "order_provider_deadline" ON "earnest"."order" USING btree ("provider_account_id",earnest.order_deadline("delivery_deadline", "fund_by"),"id","status","service_id","token_symbol");--> statement-breakpoint
CREATE INDEX "order_buyer_status" ON "earnest"."order" USING btree ("buyer_account_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "order_provider_status" ON "earnest"."order" USING btree ("provider_account_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "order_service" ON "earnest"."order" USING btree ("service_id","status");--> statement-breakpoint
CREATE INDEX "order_agent" ON "earnest"."order" USING btree ("agent_id","status");--> statement-breakpoint
CREATE INDEX "order_open" ON "earnest"."order" USING btree ("status","fund_by");--> statement-breakpoint
CREATE INDEX "order_unpaid" ON "earnest"."order" USING btree ((hashtext("id") & 31),"id") WHERE "earnest"."order"."status" = 'created';--> statement-breakpoint
CREATE INDEX "order_unpaid_x402" ON "earnest"."order" USING btree ("id") WHERE "earnest"."order"."status" = 'created' and "earnest"."order"."settlement_rail" = 'x402';--> statement-breakpoint
CREATE INDEX "order_unpaid_buyer" ON "earnest"."order" USING btree ("buyer_account_id","fund_by") WHERE "earnest"."order"."status" = 'created';--> statement-breakpoint
CREATE INDEX "order_unpaid_provider" ON "earnest"."order" USING btree ("provider_account_id","fund_by") WHERE "earnest"."order"."status" = 'created';--> statement-breakpoint
CREATE INDEX "order_paid_buyer" ON "earnest"."order" USING btree ("buyer_account_id") WHERE "earnest"."order"."funded_at" is not null;--> statement-breakpoint
CREATE INDEX "order_approval" ON "earnest"."order" USING btree ("buyer_account_id","created_at","id") WHERE "earnest"."order"."approval_status" = 'pending';--> statement-breakpoint
CREATE INDEX "order_expired_payload" ON "earnest"."order" USING btree ("fund_by") WHERE "earnest"."order"."status" = 'expired' and ("earnest"."order"."input_payload" is not null or "earnest"."order"."input_schema" is not null or "earnest"."order"."output_schema" is not null);--> statement-breakpoint
CREATE INDEX "order_disputed_buyer" ON "earnest"."order" USING btree ("buyer_account_id","disputed_at","id") WHERE "earnest"."order"."disputed_at" is not null;--> statement-breakpoint
CREATE INDEX "order_disputed_provider" ON "earnest"."order" USING btree ("provider_account_id","disputed_at","id") WHERE "earnest"."order"."disputed_at" is not null;--> statement-breakpoint
CREATE INDEX "order_arbiter" ON "earnest"."order" USING btree ("arbiter","disputed_at","id") WHERE "earnest"."order"."disputed_at" is not null;--> statement-breakpoint
CREATE INDEX "order_due" ON "earnest"."order" USING btree ("chain_id",(case when "auto_release_at" is null then "delivery_deadline" else "release_due_at" end)) WHERE "earnest"."order"."status" in ('funded', 'started', 'delivered');--> statement-breakpoint
CREATE INDEX "agent_probe_target" ON "earnest"."agent_probe" USING btree ("target_id");--> statement-breakpoint
CREATE INDEX "probe_target_due" ON "earnest"."probe_target" USING btree ("next_probe_at");--> statement-breakpoint
CREATE INDEX "audit_entry_account" ON "earnest"."audit_entry" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "idempotency_record_old" ON "earnest"."idempotency_record" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "account_settlement_list" ON "earnest"."account_settlement" USING btree ("account_id","created_at","receipt_id","role","claim");--> statement-breakpoint
CREATE INDEX "receipt_order" ON "earnest"."receipt" USING btree ("order_id","created_at");--> statement-breakpoint
CREATE INDEX "receipt_revoked" ON "earnest"."receipt" USING btree ("revoked_at") WHERE "earnest"."receipt"."revoked_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "payment_authorization" ON "earnest"."payment" USING btree ("order_id","method","payer","nonce");--> statement-breakpoint
CREATE UNIQUE INDEX "payment_current" ON "earnest"."payment" USING btree ("order_id") WHERE "earnest"."payment"."status" <> 'failed';--> statement-breakpoint
CREATE INDEX "payment_open" ON "earnest"."payment" USING btree ("created_at") WHERE "earnest"."payment"."status" in ('accepted', 'submitted');--> statement-breakpoint
CREATE INDEX "payment_nonce" ON "earnest"."payment" USING btree ("nonce");--> statement-breakpoint
CREATE INDEX "payment_identifier" ON "earnest"."payment" USING btree ("payer","identifier") WHERE "earnest"."payment"."identifier" is not null;--> statement-breakpoint
CREATE INDEX "relay_open" ON "earnest"."relay" USING btree ("chain_id","status","queued_at","id") WHERE "earnest"."relay"."status" in ('queued', 'signed');--> statement-breakpoint
CREATE INDEX "relay_order" ON "earnest"."relay" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "relay_budget" ON "earnest"."relay" USING btree ("account_id","queued_at") WHERE "earnest"."relay"."account_id" is not null;--> statement-breakpoint
CREATE INDEX "relay_hour" ON "earnest"."relay" USING btree ("chain_id","queued_at") WHERE "earnest"."relay"."account_id" is not null;--> statement-breakpoint
CREATE INDEX "relay_reverted" ON "earnest"."relay" USING btree ("chain_id","reverted_at") WHERE "earnest"."relay"."reverted_at" is not null;--> statement-breakpoint
CREATE INDEX "relay_batch" ON "earnest"."relay" USING btree ("batch_id") WHERE "earnest"."relay"."batch_id" is not null;--> statement-breakpoint
CREATE INDEX "relay_mined" ON "earnest"."relay" USING btree ("chain_id","mined_block") WHERE "earnest"."relay"."status" = 'mined';--> statement-breakpoint
CREATE UNIQUE INDEX "relay_nonce" ON "earnest"."relay" USING btree ("chain_id","sender","nonce") WHERE "earnest"."relay"."status" in ('signed', 'mined');--> statement-breakpoint
CREATE INDEX "relay_attempt_relay" ON "earnest"."relay_attempt" USING btree ("relay_id","created_at");--> statement-breakpoint
CREATE INDEX "relay_gas_minute" ON "earnest"."relay_gas" USING btree ("scope","minute");--> statement-breakpoint
CREATE INDEX "agent_record_agent" ON "earnest"."agent_record" USING btree ("agent_id","score");--> statement-breakpoint
CREATE INDEX "agent_record_old" ON "earnest"."agent_record" USING btree ("as_of") WHERE "earnest"."agent_record"."service_id" is null;--> statement-breakpoint
CREATE INDEX "agent_record_unstated" ON "earnest"."agent_record" USING btree ("as_of") WHERE "earnest"."agent_record"."outcomes_root" is not null and ("earnest"."agent_record"."stated_as_of" is null or "earnest"."agent_record"."stated_as_of" < "earnest"."agent_record"."as_of");--> statement-breakpoint
CREATE INDEX "agent_wallet_of" ON "earnest"."agent_wallet" USING btree ("address","agent_id");--> statement-breakpoint
CREATE UNIQUE INDEX "counterparty_number" ON "earnest"."counterparty" USING btree ("agent_id","number");--> statement-breakpoint
CREATE INDEX "counterparty_counted" ON "earnest"."counterparty" USING btree ("agent_id","number") WHERE "earnest"."counterparty"."weight" is not null;--> statement-breakpoint
CREATE INDEX "order_outcome_agent" ON "earnest"."order_outcome" USING btree ("agent_id","settled_at","order_id");--> statement-breakpoint
CREATE INDEX "order_outcome_buyer" ON "earnest"."order_outcome" USING btree ("agent_id","buyer_account_id","settled_at");--> statement-breakpoint
CREATE INDEX "order_outcome_wallet" ON "earnest"."order_outcome" USING btree ("agent_id","wallet");--> statement-breakpoint
CREATE INDEX "order_outcome_pair" ON "earnest"."order_outcome" USING btree ("provider_account_id","wallet","chain_id","token","agent_id");--> statement-breakpoint
CREATE UNIQUE INDEX "proved_wallet_of" ON "earnest"."proved_wallet" USING btree ("account_id","address",coalesce("chain_id", 0));--> statement-breakpoint
CREATE INDEX "provenance_due" ON "earnest"."provenance" USING btree ("chain_id","next_check_at") WHERE "earnest"."provenance"."next_check_at" is not null;--> statement-breakpoint
CREATE INDEX "provenance_attempted" ON "earnest"."provenance" USING btree ("provider_account_id","attempted_at");--> statement-breakpoint
CREATE INDEX "record_due_at" ON "earnest"."record_due" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "record_statement_key" ON "earnest"."record_statement" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "wallet_paid_by" ON "earnest"."wallet_paid" USING btree ("provider_address","wallet");--> statement-breakpoint
CREATE INDEX "review_agent" ON "earnest"."review" USING btree ("agent_id","created_at","id");--> statement-breakpoint
CREATE INDEX "review_service" ON "earnest"."review" USING btree ("service_id","created_at","id");--> statement-breakpoint
CREATE INDEX "review_buyer" ON "earnest"."review" USING btree ("buyer_account_id","created_at");--> statement-breakpoint
CREATE INDEX "review_tally_agent" ON "earnest"."review_tally" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "refused_payout_due" ON "earnest"."refused_payout" USING btree ("chain_id","next_check_at") WHERE "earnest"."refused_payout"."next_check_at" is not null;--> statement-breakpoint
CREATE INDEX "refused_payout_owed" ON "earnest"."refused_payout" USING btree ("chain_id","contract","payee","token") WHERE "earnest"."refused_payout"."withdrawn_at" is null or "earnest"."refused_payout"."next_check_at" is not null;--> statement-breakpoint
CREATE INDEX "refused_payout_account" ON "earnest"."refused_payout" USING btree ("account_id","refused_at","event_id");--> statement-breakpoint
CREATE INDEX "key_spending_sum" ON "earnest"."key_spending" USING btree ("key_id","charged_at","chain_id","token","amount","refunded");--> statement-breakpoint
CREATE INDEX "key_spending_open" ON "earnest"."key_spending" USING btree ("key_id") WHERE "earnest"."key_spending"."is_open" and "earnest"."key_spending"."is_placed";--> statement-breakpoint
CREATE INDEX "key_spending_over" ON "earnest"."key_spending" USING btree ("charged_at") WHERE not "earnest"."key_spending"."is_open";--> statement-breakpoint
CREATE UNIQUE INDEX "agent_domain_agent" ON "earnest"."agent_domain" USING btree ("agent_id") WHERE "earnest"."agent_domain"."status" <> 'removed';--> statement-breakpoint
CREATE INDEX "agent_domain_account" ON "earnest"."agent_domain" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "agent_domain_due" ON "earnest"."agent_domain" USING btree ("next_check_at") WHERE "earnest"."agent_domain"."status" in ('pending', 'verified');--> statement-breakpoint
CREATE INDEX "agent_domain_proved" ON "earnest"."agent_domain" USING btree ("domain") WHERE "earnest"."agent_domain"."status" = 'verified';--> statement-breakpoint
CREATE INDEX "wallet_age_unknown" ON "earnest"."wallet_age" USING btree ("checked_at") WHERE "earnest"."wallet_age"."first_block" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "divergence_open" ON "earnest"."divergence" USING btree ("order_id","what") WHERE "earnest"."divergence"."resolved_at" is null;--> statement-breakpoint
CREATE INDEX "divergence_order" ON "earnest"."divergence" USING btree ("order_id","found_at");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_delivery_once" ON "earnest"."webhook_delivery" USING btree ("event_id","endpoint_id");--> statement-breakpoint
CREATE INDEX "webhook_delivery_due" ON "earnest"."webhook_delivery" USING btree ("next_attempt_at") WHERE "earnest"."webhook_delivery"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_delivery_pending" ON "earnest"."webhook_delivery" USING btree ("endpoint_id","next_attempt_at") WHERE "earnest"."webhook_delivery"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_delivery_list" ON "earnest"."webhook_delivery" USING btree ("endpoint_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_delivery_old" ON "earnest"."webhook_delivery" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_endpoint_account" ON "earnest"."webhook_endpoint" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_endpoint_host" ON "earnest"."webhook_endpoint" USING btree ("host");--> statement-breakpoint
CREATE INDEX "webhook_endpoint_active" ON "earnest"."webhook_endpoint" USING btree ("account_id") WHERE "earnest"."webhook_endpoint"."status" = 'active';--> statement-breakpoint
CREATE INDEX "webhook_recovery_endpoint" ON "earnest"."webhook_recovery" USING btree ("endpoint_id","created_at");--> statement-breakpoint
CREATE TABLE "earnest"."moderation_month" (
	"month" date NOT NULL,
	"kind" text NOT NULL,
	"what" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "moderation_month_month_kind_what_pk" PRIMARY KEY("month","kind","what")
);--> statement-breakpoint
CREATE TABLE "earnest"."moderation_subject" (
	"kind" text NOT NULL,
	"id" text NOT NULL,
	"owner_account_id" text NOT NULL,
	"open" integer DEFAULT 0 NOT NULL,
	"open_counted" integer DEFAULT 0 NOT NULL,
	"reports" integer DEFAULT 0 NOT NULL,
	"appealed" boolean DEFAULT false NOT NULL,
	"noticed_at" timestamp with time zone DEFAULT now() NOT NULL,
	"held_by" text,
	CONSTRAINT "moderation_subject_kind_id_pk" PRIMARY KEY("kind","id")
);--> statement-breakpoint
CREATE TABLE "earnest"."moderation" (
	"id" text PRIMARY KEY NOT NULL,
	"act" text NOT NULL,
	"subject_kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"owner_account_id" text NOT NULL,
	"operator_account_id" text NOT NULL,
	"reason" text NOT NULL,
	"status_before" text,
	"cause_id" text,
	"appeal" text,
	"appealed_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"version_after" integer,
	CONSTRAINT "moderation_appealed" CHECK (("earnest"."moderation"."appeal" is null) = ("earnest"."moderation"."appealed_at" is null))
);--> statement-breakpoint
CREATE TABLE "earnest"."operator" (
	"address" text NOT NULL,
	"chain_id" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "earnest"."report" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"subject_kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"reason" text NOT NULL,
	"text" text NOT NULL,
	"counts" boolean NOT NULL,
	"outcome" text,
	"answer" text,
	"answered_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"quoted" text,
	CONSTRAINT "report_answered" CHECK (("earnest"."report"."outcome" is null) = ("earnest"."report"."answered_at" is null))
);--> statement-breakpoint
ALTER TABLE "earnest"."moderation_subject" ADD CONSTRAINT "moderation_subject_owner_account_id_account_id_fk" FOREIGN KEY ("owner_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."moderation" ADD CONSTRAINT "moderation_owner_account_id_account_id_fk" FOREIGN KEY ("owner_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."moderation" ADD CONSTRAINT "moderation_operator_account_id_account_id_fk" FOREIGN KEY ("operator_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."report" ADD CONSTRAINT "report_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "moderation_subject_waiting" ON "earnest"."moderation_subject" USING btree (("appealed"::int),"open_counted","noticed_at","id") WHERE "earnest"."moderation_subject"."open" > 0 or "earnest"."moderation_subject"."appealed";--> statement-breakpoint
CREATE INDEX "moderation_subject_held" ON "earnest"."moderation_subject" USING btree ("noticed_at","id") WHERE "earnest"."moderation_subject"."held_by" is not null;--> statement-breakpoint
CREATE INDEX "moderation_of_subject" ON "earnest"."moderation" USING btree ("subject_kind","subject_id","created_at","id");--> statement-breakpoint
CREATE INDEX "moderation_owner" ON "earnest"."moderation" USING btree ("owner_account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "moderation_cause" ON "earnest"."moderation" USING btree ("cause_id") WHERE "earnest"."moderation"."cause_id" is not null;--> statement-breakpoint
CREATE INDEX "moderation_operator" ON "earnest"."moderation" USING btree ("operator_account_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "operator_address" ON "earnest"."operator" USING btree ("address",coalesce("chain_id", 0));--> statement-breakpoint
CREATE UNIQUE INDEX "report_subject" ON "earnest"."report" USING btree ("subject_kind","subject_id","account_id");--> statement-breakpoint
CREATE INDEX "report_account" ON "earnest"."report" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "report_open" ON "earnest"."report" USING btree ("subject_kind","subject_id","created_at","id") WHERE "earnest"."report"."answered_at" is null;--> statement-breakpoint
CREATE INDEX "report_uncounted_open" ON "earnest"."report" USING btree ("id") WHERE "earnest"."report"."answered_at" is null and not "earnest"."report"."counts";--> statement-breakpoint
CREATE INDEX "report_answered" ON "earnest"."report" USING btree ("answered_at") WHERE "earnest"."report"."answered_at" is not null;--> statement-breakpoint
CREATE TABLE "earnest"."order_correspondent" (
	"order_id" text NOT NULL,
	"account_id" text NOT NULL,
	"role" text NOT NULL,
	"read_position" integer DEFAULT 0 NOT NULL,
	"unread" integer DEFAULT 0 NOT NULL,
	"notified_at" timestamp with time zone,
	"written" integer DEFAULT 0 NOT NULL,
	"written_bytes" integer DEFAULT 0 NOT NULL,
	"unanswered" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "order_correspondent_order_id_account_id_pk" PRIMARY KEY("order_id","account_id")
);--> statement-breakpoint
CREATE TABLE "earnest"."order_message" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"position" integer NOT NULL,
	"author_account_id" text NOT NULL,
	"author_role" text NOT NULL,
	"after_end" boolean DEFAULT false NOT NULL,
	"text" text,
	"files" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"withdrawn_at" timestamp with time zone,
	"hidden_at" timestamp with time zone,
	CONSTRAINT "order_message_withdrawn" CHECK (("earnest"."order_message"."text" is null) = ("earnest"."order_message"."withdrawn_at" is not null))
);--> statement-breakpoint
ALTER TABLE "earnest"."order_correspondent" ADD CONSTRAINT "order_correspondent_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order_correspondent" ADD CONSTRAINT "order_correspondent_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order_message" ADD CONSTRAINT "order_message_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."order_message" ADD CONSTRAINT "order_message_author_account_id_account_id_fk" FOREIGN KEY ("author_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "order_correspondent_unread" ON "earnest"."order_correspondent" USING btree ("account_id","role") WHERE "earnest"."order_correspondent"."unread" > 0;--> statement-breakpoint
CREATE UNIQUE INDEX "order_message_position" ON "earnest"."order_message" USING btree ("order_id","position");--> statement-breakpoint
CREATE INDEX "order_message_author" ON "earnest"."order_message" USING btree ("author_account_id","created_at");--> statement-breakpoint
CREATE TABLE "earnest"."file" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"size" bigint NOT NULL,
	"sha256" text,
	"named_sha256" text,
	"type" text,
	"hash_state" "bytea",
	"hashed" bigint DEFAULT 0 NOT NULL,
	"writes" integer DEFAULT 0 NOT NULL,
	"lease_owner" text,
	"leased_until" timestamp with time zone,
	"uses" integer DEFAULT 0 NOT NULL,
	"tallied" text[] NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"completed_at" timestamp with time zone,
	"withheld_at" timestamp with time zone,
	"erased_at" timestamp with time zone,
	"removed_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "earnest"."file_tally" (
	"bucket" text PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL
);--> statement-breakpoint
CREATE TABLE "earnest"."file_use" (
	"file_id" text NOT NULL,
	"order_id" text NOT NULL,
	"purpose" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "file_use_pk" PRIMARY KEY("file_id","order_id","purpose")
);--> statement-breakpoint
ALTER TABLE "earnest"."file" ADD CONSTRAINT "file_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."file_use" ADD CONSTRAINT "file_use_file_id_file_id_fk" FOREIGN KEY ("file_id") REFERENCES "earnest"."file"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."file_use" ADD CONSTRAINT "file_use_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "file_account" ON "earnest"."file" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "file_stored" ON "earnest"."file" USING btree ("account_id","completed_at","size") WHERE "earnest"."file"."removed_at" is null;--> statement-breakpoint
CREATE INDEX "file_due" ON "earnest"."file" USING btree ("due_at") WHERE "earnest"."file"."erased_at" is null;--> statement-breakpoint
CREATE INDEX "file_erased" ON "earnest"."file" USING btree ("erased_at") WHERE "earnest"."file"."erased_at" is not null and "earnest"."file"."removed_at" is null;--> statement-breakpoint
CREATE INDEX "file_use_order" ON "earnest"."file_use" USING btree ("order_id");--> statement-breakpoint
CREATE INDEX "moderation_newest" ON "earnest"."moderation" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "order_disputed_now" ON "earnest"."order" USING btree ("disputed_at","id") WHERE "earnest"."order"."status" = 'disputed';--> statement-breakpoint
CREATE INDEX "webhook_delivery_failed" ON "earnest"."webhook_delivery" USING btree ("created_at","id") WHERE "earnest"."webhook_delivery"."status" = 'failed';--> statement-breakpoint
CREATE TABLE "earnest"."billing_details" (
	"account_id" text PRIMARY KEY NOT NULL,
	"details" jsonb NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);--> statement-breakpoint
CREATE TABLE "earnest"."invoice" (
	"id" text PRIMARY KEY NOT NULL,
	"order_id" text NOT NULL,
	"fact_id" text NOT NULL,
	"seller_account_id" text NOT NULL,
	"number" integer NOT NULL,
	"seller" jsonb NOT NULL,
	"buyer" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"service_title" text NOT NULL,
	"agent_name" text NOT NULL,
	CONSTRAINT "invoice_number_counts" CHECK ("earnest"."invoice"."number" > 0)
);--> statement-breakpoint
ALTER TABLE "earnest"."billing_details" ADD CONSTRAINT "billing_details_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."invoice" ADD CONSTRAINT "invoice_order_id_order_id_fk" FOREIGN KEY ("order_id") REFERENCES "earnest"."order"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."invoice" ADD CONSTRAINT "invoice_fact_id_fact_id_fk" FOREIGN KEY ("fact_id") REFERENCES "earnest"."fact"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "earnest"."invoice" ADD CONSTRAINT "invoice_seller_account_id_account_id_fk" FOREIGN KEY ("seller_account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "invoice_settlement" ON "earnest"."invoice" USING btree ("order_id","fact_id");--> statement-breakpoint
CREATE UNIQUE INDEX "invoice_number" ON "earnest"."invoice" USING btree ("seller_account_id","number");--> statement-breakpoint
CREATE TABLE "earnest"."data_export" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"status" text DEFAULT 'waiting' NOT NULL,
	"failure" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"stored" text NOT NULL,
	"size" bigint,
	"finished_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);--> statement-breakpoint
ALTER TABLE "earnest"."data_export" ADD CONSTRAINT "data_export_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "data_export_account" ON "earnest"."data_export" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "data_export_old" ON "earnest"."data_export" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "data_export_waiting" ON "earnest"."data_export" USING btree ("account_id") WHERE "earnest"."data_export"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "data_export_next" ON "earnest"."data_export" USING btree ("created_at","id") WHERE "earnest"."data_export"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "review_provider" ON "earnest"."review" USING btree ("provider_account_id","created_at","id");--> statement-breakpoint
CREATE TABLE "earnest"."account_erasure" (
	"account_id" text PRIMARY KEY NOT NULL,
	"status" text DEFAULT 'waiting' NOT NULL,
	"requested_at" timestamp with time zone DEFAULT now() NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"next_at" timestamp with time zone NOT NULL,
	"step" integer DEFAULT 0 NOT NULL,
	"cursor" text,
	"finished_at" timestamp with time zone,
	CONSTRAINT "account_erasure_finished" CHECK (("earnest"."account_erasure"."finished_at" is not null) = ("earnest"."account_erasure"."status" = 'done'))
);--> statement-breakpoint
ALTER TABLE "earnest"."account_erasure" ADD CONSTRAINT "account_erasure_account_id_account_id_fk" FOREIGN KEY ("account_id") REFERENCES "earnest"."account"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_erasure_next" ON "earnest"."account_erasure" USING btree ("next_at","account_id") WHERE "earnest"."account_erasure"."status" <> 'done';--> statement-breakpoint
CREATE INDEX "event_order" ON "earnest"."event" USING btree ("order_id") WHERE "earnest"."event"."order_id" is not null and "earnest"."event"."fact_id" is null;--> statement-breakpoint
CREATE INDEX "event_request" ON "earnest"."event" USING btree ("key") WHERE "earnest"."event"."type" = 'request.matched';--> statement-breakpoint
CREATE INDEX "traded_service_of" ON "earnest"."traded_service" USING btree ("service_id");--> statement-breakpoint
CREATE INDEX "audit_entry_actor" ON "earnest"."audit_entry" USING btree ("actor_account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "session_of" ON "earnest"."session" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "moderation_subject_owner" ON "earnest"."moderation_subject" USING btree ("owner_account_id") WHERE "earnest"."moderation_subject"."open_counted" > 0 or "earnest"."moderation_subject"."appealed";--> statement-breakpoint
CREATE INDEX "relay_waiting" ON "earnest"."relay" USING btree ("queued_at") WHERE "earnest"."relay"."status" in ('queued', 'signed') and "earnest"."relay"."key" not like 'batch:%';--> statement-breakpoint

-- ==== Storage.
-- Rate limits may be empty after a crash of PostgreSQL.
ALTER TABLE "earnest"."rate_limit" SET UNLOGGED;--> statement-breakpoint
-- Free space on each page takes the next version of a row, so that the indexes need no new entry (HOT updates).
ALTER TABLE "earnest"."rate_limit" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "earnest"."relay_gas" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "earnest"."webhook_day" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "earnest"."delivery_day" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "earnest"."escrow_sum" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "earnest"."settlement_day" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "earnest"."order_day" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "earnest"."webhook_delivery" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "earnest"."listed_agent" SET (fillfactor = 90);--> statement-breakpoint
-- The hashes of a tile cannot be compressed.
ALTER TABLE "earnest"."log_tile" ALTER COLUMN "hashes" SET STORAGE EXTERNAL;--> statement-breakpoint

-- ==== Ledger and audit: rows that never change, except by an erasure of words.
-- Empties the words in the data of a fact, an event, an agreement or a stage. Hashes, numbers, ids, wallets and times stay. A word
-- without a hash beside it leaves its SHA-256 under `<key>_sha256` if `keeps_hashes`. The result of an erased document is the same.
CREATE FUNCTION "earnest"."erase_words"(data jsonb, keeps_hashes boolean) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  member text;
  item jsonb;
  erased jsonb := '{}';
BEGIN
  IF jsonb_typeof(data) = 'array' THEN
    RETURN (
      SELECT coalesce(jsonb_agg(earnest.erase_words(element, keeps_hashes) ORDER BY place), '[]')
      FROM jsonb_array_elements(data) WITH ORDINALITY AS list (element, place));
  END IF;
  IF jsonb_typeof(data) IS DISTINCT FROM 'object' THEN RETURN data; END IF;
  FOR member, item IN SELECT key, value FROM jsonb_each(data) LOOP
    IF member = 'outputSchema' THEN
      erased := erased || jsonb_build_object(member, NULL);
    ELSIF member = 'tags' THEN
      erased := erased || jsonb_build_object(member, '[]'::jsonb);
    ELSIF jsonb_typeof(item) <> 'string' OR item = '"erased"' OR member <> ALL (ARRAY['agent_name', 'agent_slug',
      'endpoint_url', 'name', 'note', 'reason', 'service_slug', 'service_title', 'slug', 'text', 'title', 'url'])
    THEN
      erased := erased || jsonb_build_object(member, earnest.erase_words(item, keeps_hashes));
    ELSE
      -- A URL is an optional member.
      IF member <> 'url' THEN erased := erased || jsonb_build_object(member, 'erased'); END IF;
      IF keeps_hashes AND NOT data ?| ARRAY['sha256', member || '_hash', member || '_sha256'] THEN
        erased := erased || jsonb_build_object(
          member || '_sha256', '0x' || encode(sha256(convert_to(item #>> '{}', 'UTF8')), 'hex'));
      END IF;
    END IF;
  END LOOP;
  RETURN erased;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owners text[];
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF TG_TABLE_NAME = 'fact' THEN
      OLD.data := earnest.erase_words(OLD.data, true);
      SELECT ARRAY[buyer_account_id, provider_account_id] INTO owners FROM earnest."order" WHERE id = OLD.order_id;
    ELSE
      owners := ARRAY[OLD.account_id, OLD.actor_account_id];
      IF NEW.data = '{}' THEN OLD.data := NEW.data; END IF;
      IF NEW.client_address IS NULL THEN OLD.client_address := NULL; END IF;
    END IF;
    IF NEW IS NOT DISTINCT FROM OLD AND EXISTS (
      SELECT FROM earnest.account_erasure WHERE account_id = ANY (owners) AND status = 'running')
    THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'the ledger is append-only: % of earnest.% refused', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;--> statement-breakpoint
CREATE TRIGGER "fact_append_only" BEFORE UPDATE OR DELETE ON "earnest"."fact" FOR EACH ROW EXECUTE FUNCTION "earnest"."refuse_change"();--> statement-breakpoint
CREATE TRIGGER "audit_entry_append_only" BEFORE UPDATE OR DELETE ON "earnest"."audit_entry" FOR EACH ROW EXECUTE FUNCTION "earnest"."refuse_change"();--> statement-breakpoint

-- ==== Invoices: an invoice never changes.
CREATE FUNCTION "earnest"."refuse_invoice_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'invoices are append-only: % of earnest.% refused', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;--> statement-breakpoint
CREATE TRIGGER "invoice_append_only" BEFORE UPDATE OR DELETE ON "earnest"."invoice" FOR EACH ROW EXECUTE FUNCTION "earnest"."refuse_invoice_change"();--> statement-breakpoint

-- ==== Messages: a message never changes, but for its withdrawal and `hidden_at`. Both change the counts of unread messages.
CREATE FUNCTION "earnest"."refuse_message_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.order_id, NEW.position, NEW.author_account_id, NEW.author_role, NEW.after_end, NEW.created_at)
      IS DISTINCT FROM (OLD.id, OLD.order_id, OLD.position, OLD.author_account_id, OLD.author_role, OLD.after_end, OLD.created_at)
    OR (NEW.withdrawn_at IS NULL AND (NEW.text, NEW.files) IS DISTINCT FROM (OLD.text, OLD.files))
    OR (OLD.withdrawn_at IS NOT NULL AND NEW.withdrawn_at IS DISTINCT FROM OLD.withdrawn_at)
    OR (NEW.withdrawn_at IS NOT NULL AND NEW.files <> '[]')
  THEN
    RAISE EXCEPTION 'a message can only be withdrawn: % of earnest.% refused', TG_OP, TG_TABLE_NAME
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "order_message_fixed" BEFORE UPDATE ON "earnest"."order_message"
  FOR EACH ROW EXECUTE FUNCTION earnest.refuse_message_change();--> statement-breakpoint
CREATE FUNCTION "earnest"."recount_unread"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE earnest.order_correspondent AS reader
  SET unread = greatest(0, reader.unread + CASE WHEN NEW.withdrawn_at IS NULL AND NEW.hidden_at IS NULL THEN 1 ELSE -1 END)
  WHERE reader.order_id = NEW.order_id AND reader.account_id <> NEW.author_account_id AND reader.read_position < NEW.position
    AND NOT (reader.role = 'arbiter' AND NEW.after_end);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "order_message_unread" AFTER UPDATE ON "earnest"."order_message" FOR EACH ROW
  WHEN ((OLD.withdrawn_at IS NULL AND OLD.hidden_at IS NULL) <> (NEW.withdrawn_at IS NULL AND NEW.hidden_at IS NULL))
  EXECUTE FUNCTION earnest.recount_unread();--> statement-breakpoint

-- ==== Accounts: wallets that an account has ever proved.
CREATE FUNCTION "earnest"."note_proved_wallet"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.proved_wallet (account_id, address, chain_id) VALUES (NEW.account_id, NEW.address, NEW.chain_id)
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "wallet_proved" AFTER INSERT OR UPDATE OF "account_id", "address", "chain_id" ON "earnest"."wallet"
  FOR EACH ROW EXECUTE FUNCTION earnest.note_proved_wallet();--> statement-breakpoint

-- ==== Market: services and agents that are listed.
-- The row of the agent is locked, so that a service that is published while its agent changes waits for that change.
CREATE FUNCTION "earnest"."list_service"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.listed := false;
  IF NEW.status = 'published' THEN
    SELECT agent.verified, agent.status = 'published' INTO NEW.verified, NEW.listed
      FROM earnest.agent WHERE id = NEW.agent_id FOR SHARE;
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
CREATE FUNCTION "earnest"."keep_offer"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.listed AND NEW.listed AND (OLD.title, OLD.summary, OLD.description, OLD.tags, OLD.category, OLD.pricing_model,
        OLD.price, OLD.price_currency, OLD.accepts, OLD.delivery_time_hours, OLD.created_at, OLD.verified,
        earnest.figure_terms(OLD.score, OLD.rating, OLD.on_time))
      IS NOT DISTINCT FROM (NEW.title, NEW.summary, NEW.description, NEW.tags, NEW.category, NEW.pricing_model,
        NEW.price, NEW.price_currency, NEW.accepts, NEW.delivery_time_hours, NEW.created_at, NEW.verified,
        earnest.figure_terms(NEW.score, NEW.rating, NEW.on_time))
    THEN
      UPDATE earnest.offer
        SET completed_orders = NEW.completed_orders, score = NEW.score, rating = NEW.rating, on_time = NEW.on_time
        WHERE service_id = NEW.id AND (completed_orders, score, rating, on_time)
          <> (NEW.completed_orders, NEW.score, NEW.rating, NEW.on_time);
      RETURN NULL;
    END IF;
    -- The row is inserted anew, so that the index takes the new text of the service.
    IF OLD.listed THEN DELETE FROM earnest.offer WHERE service_id = NEW.id; END IF;
  END IF;
  IF NEW.listed THEN
    INSERT INTO earnest.offer
      VALUES (NEW.id, NEW.agent_id, NEW.category, NEW.tags, NEW.pricing_model, NEW.price, NEW.delivery_time_hours,
        NEW.completed_orders, NEW.created_at, NEW.verified, NEW.score, NEW.rating, NEW.on_time, NEW.price_currency,
        earnest.accepted_tokens(NEW.accepts));
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "service_offer_new" AFTER INSERT ON "earnest"."service"
  FOR EACH ROW WHEN (NEW.listed) EXECUTE FUNCTION earnest.keep_offer();--> statement-breakpoint
CREATE TRIGGER "service_offer" AFTER UPDATE OF "status", "listed", "title", "tags", "summary", "description", "category",
  "pricing_model", "price", "price_currency", "accepts", "delivery_time_hours", "completed_orders", "created_at", "verified",
  "score", "rating", "on_time"
  ON "earnest"."service" FOR EACH ROW WHEN (OLD.listed OR NEW.listed) EXECUTE FUNCTION earnest.keep_offer();--> statement-breakpoint
-- The lock of an agent covers its row of `listed_agent`.
CREATE FUNCTION "earnest"."list_agent"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF OLD.status = 'published' AND NEW.status = 'published' AND
      (OLD.name, OLD.capabilities, OLD.tagline, OLD.description, OLD.verified, OLD.created_at) IS NOT DISTINCT FROM
      (NEW.name, NEW.capabilities, NEW.tagline, NEW.description, NEW.verified, NEW.created_at)
    THEN
      UPDATE earnest.listed_agent
        SET completed_orders = NEW.completed_orders, score = NEW.score, rating = NEW.rating, on_time = NEW.on_time
        WHERE agent_id = NEW.id AND (completed_orders, score, rating, on_time)
          <> (NEW.completed_orders, NEW.score, NEW.rating, NEW.on_time);
      RETURN NULL;
    END IF;
    -- The row is inserted anew, so that the index takes the new text of the agent.
    DELETE FROM earnest.listed_agent WHERE agent_id = NEW.id;
  END IF;
  IF NEW.status = 'published' THEN
    INSERT INTO earnest.listed_agent
      VALUES (NEW.id, NEW.completed_orders, NEW.created_at, NEW.score, NEW.rating, NEW.on_time);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "agent_listed_new" AFTER INSERT ON "earnest"."agent"
  FOR EACH ROW WHEN (NEW.status = 'published') EXECUTE FUNCTION earnest.list_agent();--> statement-breakpoint
CREATE TRIGGER "agent_listed" AFTER UPDATE OF "status", "name", "capabilities", "tagline", "description", "completed_orders",
  "created_at", "verified", "score", "rating", "on_time"
  ON "earnest"."agent" FOR EACH ROW WHEN (OLD.status = 'published' OR NEW.status = 'published') EXECUTE FUNCTION earnest.list_agent();--> statement-breakpoint

-- ==== Market: numbers of offers by cell.
-- Cells are changed in one order, so that two writers never wait for each other.
CREATE FUNCTION "earnest"."tally_inserted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.offer_tally AS tally (category, pricing_model, delivery_step, price_digits, price_currency, services)
    SELECT coalesce(category, ''), pricing_model, earnest.delivery_step(delivery_time_hours), earnest.price_digits(price), price_currency, sum(change)
    FROM (SELECT listed, category, pricing_model, delivery_time_hours, price, price_currency, 1 AS change FROM written) AS changed
    WHERE listed GROUP BY 1, 2, 3, 4, 5 HAVING sum(change) <> 0 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (category, pricing_model, delivery_step, price_digits, price_currency)
    DO UPDATE SET services = tally.services + excluded.services;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."tally_updated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.offer_tally AS tally (category, pricing_model, delivery_step, price_digits, price_currency, services)
    SELECT coalesce(category, ''), pricing_model, earnest.delivery_step(delivery_time_hours), earnest.price_digits(price), price_currency, sum(change)
    FROM (SELECT listed, category, pricing_model, delivery_time_hours, price, price_currency, 1 AS change FROM written UNION ALL SELECT listed, category, pricing_model, delivery_time_hours, price, price_currency, -1 FROM replaced) AS changed
    WHERE listed GROUP BY 1, 2, 3, 4, 5 HAVING sum(change) <> 0 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (category, pricing_model, delivery_step, price_digits, price_currency)
    DO UPDATE SET services = tally.services + excluded.services;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."tally_deleted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.offer_tally AS tally (category, pricing_model, delivery_step, price_digits, price_currency, services)
    SELECT coalesce(category, ''), pricing_model, earnest.delivery_step(delivery_time_hours), earnest.price_digits(price), price_currency, sum(change)
    FROM (SELECT listed, category, pricing_model, delivery_time_hours, price, price_currency, -1 AS change FROM replaced) AS changed
    WHERE listed GROUP BY 1, 2, 3, 4, 5 HAVING sum(change) <> 0 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (category, pricing_model, delivery_step, price_digits, price_currency)
    DO UPDATE SET services = tally.services + excluded.services;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "service_inserted" AFTER INSERT ON "earnest"."service" REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION earnest.tally_inserted();--> statement-breakpoint
CREATE TRIGGER "service_updated" AFTER UPDATE ON "earnest"."service" REFERENCING OLD TABLE AS replaced NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION earnest.tally_updated();--> statement-breakpoint
CREATE TRIGGER "service_deleted" AFTER DELETE ON "earnest"."service" REFERENCING OLD TABLE AS replaced
  FOR EACH STATEMENT EXECUTE FUNCTION earnest.tally_deleted();--> statement-breakpoint

-- ==== Market: words of listed services and agents.
CREATE FUNCTION "earnest"."market_words"(words text) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT word FROM unnest(tsvector_to_array(to_tsvector('simple', earnest.fold_text(words)))) AS word
  WHERE length(word) BETWEEN 3 AND 40 AND word !~ '[^a-z\u0080-\U0010FFFF]' $$;--> statement-breakpoint
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

-- ==== Orders: the services that an account has bought or sold.
-- The rows are sorted, so that transactions wait for each other in one order.
CREATE FUNCTION "earnest"."note_traded_services"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.traded_service (account_id, side, service_id, service_title, agent_name, agent_slug)
  SELECT DISTINCT account_id, side, service_id, service_title, agent_name, agent_slug
  FROM placed, LATERAL (VALUES (buyer_account_id, 'buyer'), (provider_account_id, 'provider')) AS party (account_id, side)
  ORDER BY account_id, side, service_id, service_title, agent_name
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "order_traded" AFTER INSERT ON "earnest"."order" REFERENCING NEW TABLE AS placed
  FOR EACH STATEMENT EXECUTE FUNCTION earnest.note_traded_services();--> statement-breakpoint

-- ==== Market: proofs of an agent.
-- The proofs that an agent shows, from its domain and its identity. The row of the agent is locked first: of two transactions at
-- once, the second sees the change of the first.
CREATE FUNCTION "earnest"."keep_verified"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changed text := CASE WHEN TG_OP = 'DELETE' THEN OLD.agent_id ELSE coalesce(NEW.agent_id, OLD.agent_id) END;
BEGIN
  PERFORM FROM earnest.agent WHERE id = changed FOR NO KEY UPDATE;
  UPDATE earnest.agent SET verified = proved.kinds
    FROM (SELECT array_remove(ARRAY[
      CASE WHEN EXISTS (SELECT FROM earnest.agent_domain WHERE agent_id = changed AND status = 'verified') THEN 'domain' END,
      CASE WHEN EXISTS (SELECT FROM earnest.agent_identity WHERE agent_id = changed AND lost_at IS NULL) THEN 'erc8004' END],
      NULL) AS kinds) AS proved
    WHERE id = changed AND verified <> proved.kinds;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "agent_domain_verified" AFTER UPDATE ON "earnest"."agent_domain"
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND 'verified' IN (OLD.status, NEW.status)) EXECUTE FUNCTION earnest.keep_verified();--> statement-breakpoint
CREATE TRIGGER "agent_identity_verified_new" AFTER INSERT OR DELETE ON "earnest"."agent_identity"
  FOR EACH ROW EXECUTE FUNCTION earnest.keep_verified();--> statement-breakpoint
CREATE TRIGGER "agent_identity_verified" AFTER UPDATE ON "earnest"."agent_identity"
  FOR EACH ROW WHEN ((OLD.lost_at IS NULL) <> (NEW.lost_at IS NULL)) EXECUTE FUNCTION earnest.keep_verified();--> statement-breakpoint

-- ==== Market: changes of proofs, ratings and scores, which a job copies to agents and services in small transactions.
CREATE FUNCTION "earnest"."note_verified"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.market_figures_due (id) VALUES (NEW.id);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "agent_verifying" AFTER UPDATE OF "verified" ON "earnest"."agent"
  FOR EACH ROW WHEN (OLD.verified <> NEW.verified) EXECUTE FUNCTION earnest.note_verified();--> statement-breakpoint
CREATE FUNCTION "earnest"."note_rating"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.market_figures_due (id) VALUES (NEW.agent_id), (NEW.service_id);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "review_tally_noted" AFTER INSERT OR UPDATE ON "earnest"."review_tally"
  FOR EACH ROW EXECUTE FUNCTION earnest.note_rating();--> statement-breakpoint
CREATE FUNCTION "earnest"."note_record"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.market_figures_due (id) VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.id ELSE NEW.id END);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "agent_record_noted" AFTER INSERT OR DELETE ON "earnest"."agent_record"
  FOR EACH ROW EXECUTE FUNCTION earnest.note_record();--> statement-breakpoint
CREATE TRIGGER "agent_record_change_noted" AFTER UPDATE ON "earnest"."agent_record"
  FOR EACH ROW WHEN ((OLD.score, OLD.on_time) IS DISTINCT FROM (NEW.score, NEW.on_time)) EXECUTE FUNCTION earnest.note_record();--> statement-breakpoint

-- ==== Market: offers ranked in tiers.
CREATE FUNCTION "earnest"."tiebreak_of"(id text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ('x' || left(md5(id), 8))::bit(32)::int & 2147483647 $$;--> statement-breakpoint
-- A higher tier has offers with more completed orders. With fewer than four completed orders, each number of orders has six tiers:
-- the lowest has a half of the tie-breaks, the next a quarter, then an eighth and so on. From four on, several numbers share a tier.
CREATE FUNCTION "earnest"."tier_of"(completed integer, tiebreak integer) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (CASE
    WHEN completed >= 4 THEN 100 + width_bucket(completed, ARRAY[4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512, 1024])
    ELSE completed * 10 + width_bucket(tiebreak, ARRAY[1073741824, 1610612736, 1879048192, 2013265920, 2080374784])
  END)::smallint $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."tiers"() RETURNS smallint[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT '{113,112,111,110,109,108,107,106,105,104,103,102,101,35,34,33,32,31,30,25,24,23,22,21,20,15,14,13,12,11,10,5,4,3,2,1,0}'::smallint[] $$;--> statement-breakpoint
DO $$
DECLARE tier smallint;
BEGIN
  FOREACH tier IN ARRAY earnest.tiers() LOOP
    EXECUTE format('CREATE TABLE earnest.ranked_offer_%s PARTITION OF earnest.ranked_offer FOR VALUES IN (%s)', tier, tier);
  END LOOP;
END $$;--> statement-breakpoint
-- Searches need no statistics of terms. ANALYZE would read a service or an agent for each row, which takes minutes for a million.
ALTER INDEX "earnest"."listed_agent_terms" ALTER COLUMN 1 SET STATISTICS 0;--> statement-breakpoint
DO $$
DECLARE part regclass;
BEGIN
  FOR part IN SELECT relid FROM pg_partition_tree('earnest.ranked_offer_terms') LOOP
    EXECUTE format('ALTER INDEX %s ALTER COLUMN 1 SET STATISTICS 0', part);
  END LOOP;
END $$;--> statement-breakpoint
-- The lock of a service covers its row of `offer` and its row of `ranked_offer`.
CREATE FUNCTION "earnest"."keep_ranked_offer"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE own_tiebreak integer := earnest.tiebreak_of(CASE WHEN TG_OP = 'DELETE' THEN OLD.service_id ELSE NEW.service_id END);
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO earnest.ranked_offer VALUES (earnest.tier_of(NEW.completed_orders, own_tiebreak), NEW.service_id,
      NEW.completed_orders, own_tiebreak, NEW.delivery_time_hours, NEW.price, NEW.pricing_model, NEW.category, NEW.tags,
      NEW.score, NEW.rating, NEW.on_time, NEW.verified, NEW.price_currency, NEW.accepts);
  ELSIF TG_OP = 'DELETE' THEN
    DELETE FROM earnest.ranked_offer
      WHERE service_id = OLD.service_id AND tier = earnest.tier_of(OLD.completed_orders, own_tiebreak);
  ELSE
    -- Most changes leave the row in its tier, and its index entry as it is.
    UPDATE earnest.ranked_offer
      SET completed_orders = NEW.completed_orders, tier = earnest.tier_of(NEW.completed_orders, own_tiebreak),
        score = NEW.score, rating = NEW.rating, on_time = NEW.on_time, proved = NEW.verified
      WHERE service_id = NEW.service_id AND tier = earnest.tier_of(OLD.completed_orders, own_tiebreak);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "offer_ranked" AFTER INSERT OR DELETE OR UPDATE OF "completed_orders", "score", "rating", "on_time" ON "earnest"."offer"
  FOR EACH ROW EXECUTE FUNCTION earnest.keep_ranked_offer();--> statement-breakpoint

-- ==== Market: search.
CREATE FUNCTION "earnest"."offer_search"(service_id text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
  SELECT "search" FROM "earnest"."service" WHERE "id" = service_id $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."lexeme_of"(quoted text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT replace(replace(substr(quoted, 2, length(quoted) - 2), '''''', ''''), '\\', '\') $$;--> statement-breakpoint
-- The terms that every match of a search has: the pairs of a phrase, which imply its words, and no term of an excluded phrase.
-- Null if the search has no words.
CREATE FUNCTION "earnest"."terms_of"(search_query tsquery) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  tokens text[];
  result text := '';
  position integer := 1;
  closing integer;
  -- Whether the token is an operator between two words, which make a pair.
  is_pair boolean[];
BEGIN
  IF numnode(search_query) = 0 THEN RETURN NULL; END IF;
  IF search_query::text !~ '<(-|\d+)>' THEN RETURN search_query; END IF;
  tokens := ARRAY(SELECT token[1] FROM
    regexp_matches(search_query::text, '(''(?:[^'']|'''')*''(?::[*A-D]+)?|<(?:-|\d+)>|[&|!()])', 'g') AS token);
  is_pair := ARRAY(SELECT tokens[token_position] = '<->' AND tokens[token_position - 1] ~ '''$' AND tokens[token_position + 1] ~ '''$'
    FROM generate_subscripts(tokens, 1) AS token_position ORDER BY token_position);
  WHILE position <= cardinality(tokens) LOOP
    IF tokens[position] = '!' AND tokens[position + 1] = '(' THEN
      closing := position + array_position(tokens[position:], ')') - 1;
      IF EXISTS (SELECT FROM unnest(tokens[position:closing]) AS token WHERE token ~ '^<') THEN
        result := result || '!''' || chr(2) || '''';
        position := closing;
      ELSE
        result := result || '!';
      END IF;
    ELSIF is_pair[position] THEN
      IF is_pair[position - 2] THEN result := result || '&'; END IF;
      result := result || '''' || earnest.pair_term(earnest.lexeme_of(tokens[position - 1]), earnest.lexeme_of(tokens[position + 1])) || '''';
    ELSIF tokens[position] ~ '^<' THEN
      result := result || '&';
    ELSIF NOT (coalesce(is_pair[position - 1], false) OR coalesce(is_pair[position + 1], false)) THEN
      result := result || tokens[position];
    END IF;
    position := position + 1;
  END LOOP;
  RETURN result::tsquery;
END $$;--> statement-breakpoint
-- The offers that have these terms, from the highest tier down, at most `most` rows. The most completed orders come first, then the
-- highest tie-break. Terms are hashes, so `verified` and the bounds are checked for each offer. Each tier has its own query: a tier
-- that is not reached is not opened. Completed orders and tie-break are sorted as one number, since in most tiers all offers have
-- equally many orders.
CREATE FUNCTION "earnest"."find_offers"(terms tsquery, verified tsquery, price_from numeric, price_to numeric, hours integer,
  after_completed integer, after_tiebreak integer, after_id text, most integer, orders_from integer DEFAULT 0,
  score_from integer DEFAULT 0, rating_from integer DEFAULT 0, on_time_from integer DEFAULT 0, filters tsquery DEFAULT NULL,
  currencies text[] DEFAULT NULL)
  RETURNS SETOF earnest.ranked_offer LANGUAGE plpgsql STABLE ROWS 1000
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
#variable_conflict use_column
DECLARE
  highest constant smallint := earnest.tier_of(after_completed, after_tiebreak);
  lowest constant smallint := earnest.tier_of(orders_from, 0);
  missing integer := most;
  returned integer;
  current_tier smallint;
BEGIN
  FOREACH current_tier IN ARRAY earnest.tiers() LOOP
    CONTINUE WHEN current_tier > highest;
    EXIT WHEN current_tier < lowest OR missing <= 0;
    IF filters IS NULL THEN
      RETURN QUERY SELECT * FROM earnest.ranked_offer
        WHERE tier = current_tier AND earnest.offer_terms(service_id) @@ terms
          AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
          AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
          AND (currencies IS NULL OR price_currency = ANY (currencies))
          AND (verified IS NULL OR earnest.offer_search(service_id) @@ verified)
          AND (after_completed IS NULL OR (completed_orders, tiebreak, service_id) < (after_completed, after_tiebreak, after_id))
        ORDER BY (completed_orders::bigint << 31) + tiebreak DESC, service_id DESC LIMIT missing;
    ELSE
      RETURN QUERY SELECT * FROM earnest.ranked_offer
        WHERE tier = current_tier AND earnest.offer_terms(service_id) @@ terms AND earnest.offer_terms(service_id) @@ filters
          AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
          AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
          AND (currencies IS NULL OR price_currency = ANY (currencies))
          AND (verified IS NULL OR earnest.offer_search(service_id) @@ verified)
          AND (after_completed IS NULL OR (completed_orders, tiebreak, service_id) < (after_completed, after_tiebreak, after_id))
        ORDER BY (completed_orders::bigint << 31) + tiebreak DESC, service_id DESC LIMIT missing;
    END IF;
    GET DIAGNOSTICS returned = ROW_COUNT;
    missing := missing - returned;
  END LOOP;
END $$;--> statement-breakpoint
-- The most completed offers that have these terms, each with the rank of its text in millionths. For a phrase, the text decides
-- whether the words are adjacent; it is read once for both.
CREATE FUNCTION "earnest"."rank_offers"(search_query tsquery, terms tsquery, filters tsquery, price_from numeric, price_to numeric,
  hours integer, most integer, orders_from integer, score_from integer, rating_from integer, on_time_from integer, currencies text[])
  RETURNS TABLE (id text, completed integer, tiebreak integer, rank integer) LANGUAGE plpgsql STABLE ROWS 1000
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
#variable_conflict use_column
DECLARE
  lowest constant smallint := earnest.tier_of(orders_from, 0);
  has_phrase constant boolean := search_query::text ~ '<';
  missing integer := most;
  returned integer;
  current_tier smallint;
BEGIN
  FOREACH current_tier IN ARRAY earnest.tiers() LOOP
    EXIT WHEN current_tier < lowest OR missing <= 0;
    IF has_phrase THEN
      RETURN QUERY SELECT service_id, completed_orders, tiebreak, 1 + (ts_rank(search, search_query) * 1000000)::integer
        FROM (
          SELECT service_id, offer.completed_orders, tiebreak, search
          FROM earnest.ranked_offer AS offer JOIN earnest.service ON service.id = service_id
          WHERE tier = current_tier AND earnest.offer_terms(service_id) @@ coalesce(terms && filters, terms) AND search @@ search_query
            AND offer.price BETWEEN price_from AND price_to AND offer.delivery_time_hours <= hours
            AND offer.completed_orders >= orders_from AND offer.score >= score_from AND offer.rating >= rating_from
            AND offer.on_time >= on_time_from
            AND (currencies IS NULL OR offer.price_currency = ANY (currencies))
          ORDER BY (offer.completed_orders::bigint << 31) + tiebreak DESC, service_id DESC LIMIT missing) AS matches;
    ELSIF filters IS NULL THEN
      RETURN QUERY SELECT service_id, matches.completed_orders, matches.tiebreak, 1 + (ts_rank(search, search_query) * 1000000)::integer
        FROM (
          SELECT service_id, completed_orders, tiebreak FROM earnest.ranked_offer
          WHERE tier = current_tier AND earnest.offer_terms(service_id) @@ terms
            AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
            AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
            AND (currencies IS NULL OR price_currency = ANY (currencies))
          ORDER BY (completed_orders::bigint << 31) + tiebreak DESC, service_id DESC LIMIT missing) AS matches
        JOIN earnest.service ON service.id = service_id;
    ELSE
      RETURN QUERY SELECT service_id, matches.completed_orders, matches.tiebreak, 1 + (ts_rank(search, search_query) * 1000000)::integer
        FROM (
          SELECT service_id, completed_orders, tiebreak FROM earnest.ranked_offer
          WHERE tier = current_tier AND earnest.offer_terms(service_id) @@ terms AND earnest.offer_terms(service_id) @@ filters
            AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
            AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
            AND (currencies IS NULL OR price_currency = ANY (currencies))
          ORDER BY (completed_orders::bigint << 31) + tiebreak DESC, service_id DESC LIMIT missing) AS matches
        JOIN earnest.service ON service.id = service_id;
    END IF;
    GET DIAGNOSTICS returned = ROW_COUNT;
    missing := missing - returned;
  END LOOP;
END $$;--> statement-breakpoint
-- The tiers of offers with no or one completed order in which no offer has these terms. If the highest tier of a number of orders
-- has such an offer, the tiers below it are not checked.
CREATE FUNCTION "earnest"."empty_tiers"(filters tsquery, below smallint) RETURNS smallint[] LANGUAGE plpgsql STABLE
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
DECLARE
  result smallint[] := '{}';
  highest smallint;
BEGIN
  FOREACH highest IN ARRAY '{15,5}'::smallint[] LOOP
    CONTINUE WHEN highest >= below;
    FOR candidate IN REVERSE highest .. highest - 5 LOOP
      PERFORM FROM earnest.ranked_offer WHERE tier = candidate AND earnest.offer_terms(service_id) @@ filters LIMIT 1;
      IF NOT FOUND THEN result := result || candidate::smallint; END IF;
      EXIT WHEN FOUND AND candidate = highest;
    END LOOP;
  END LOOP;
  RETURN result;
END $$;--> statement-breakpoint
-- The number of offers that have these terms, counted up to `most`. Tie-breaks are random, so a sample of them proves that there
-- are `most` offers: with fewer, the sample would have `enough` offers once in a billion cases (Bernstein's inequality). If no sample
-- proves it, all offers are counted.
CREATE FUNCTION "earnest"."count_offers"(terms tsquery, verified tsquery, price_from numeric, price_to numeric, hours integer,
  most integer, orders_from integer DEFAULT 0, score_from integer DEFAULT 0, rating_from integer DEFAULT 0,
  on_time_from integer DEFAULT 0, filters tsquery DEFAULT NULL,
  currencies text[] DEFAULT NULL)
  RETURNS integer LANGUAGE plpgsql STABLE
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET max_parallel_workers_per_gather = 0 SET jit = off AS $$
#variable_conflict use_column
DECLARE
  -- The tiers that each step counts, and the share of all tie-breaks that is counted after the step. The tiers of the second step
  -- do not depend on tie-breaks.
  steps constant text[] := '{"{35,25,15,5}","{113,112,111,110,109,108,107,106,105,104,103,102,101}","{34,33,24,23,14,13,4,3}",
    "{32,22,12,2}","{31,30,21,20,11,10,1,0}"}';
  shares constant float8[] := '{0.03125,0.03125,0.125,0.25,1}';
  -- An index reads every match of a prefix first, even where no offer has the other terms.
  has_prefix constant boolean := filters IS NOT NULL AND verified IS NULL AND terms::text ~ ':\*';
  lowest_with_match smallint;
  without_filters smallint[];
  tiers smallint[];
  share float8;
  counted_in_full integer := 0;
  counted_by_tiebreak integer := 0;
  counted integer;
  lowest_found smallint;
  missing integer;
  enough integer;
  needed integer;
BEGIN
  FOR step IN 1..5 LOOP
    tiers := steps[step];
    share := shares[step];
    -- One pass over the rest is faster when there are few matches.
    IF (step = 2 AND counted_by_tiebreak < enough / 4) OR (step = 3 AND counted_in_full + 32 * counted_by_tiebreak < 0.9 * most) THEN
      tiers := ARRAY(SELECT tier FROM unnest(earnest.tiers()) AS tier
        WHERE tier <> ALL (steps[1]::smallint[]) AND (step = 2 OR tier < 100));
      share := 1;
    END IF;
    missing := most - counted_in_full;
    enough := least(missing, ceil(share * missing + 6.8 * sqrt(share * (1 - share) * missing) + 11));
    needed := CASE WHEN step = 2 THEN missing ELSE enough END - counted_by_tiebreak;
    IF needed <= 0 THEN RETURN most; END IF;
    IF has_prefix AND step > 1 AND tiers && '{13,10}' THEN
      IF without_filters IS NULL THEN without_filters := earnest.empty_tiers(filters, coalesce(lowest_with_match, 0::smallint)); END IF;
      tiers := ARRAY(SELECT tier FROM unnest(tiers) AS tier WHERE tier <> ALL (without_filters));
    END IF;
    IF verified IS NOT NULL THEN
      counted := (SELECT count(*) FROM (
        SELECT FROM unnest(tiers) AS candidate (number) CROSS JOIN LATERAL (
          SELECT FROM earnest.ranked_offer AS offer JOIN earnest.service ON service.id = service_id
          WHERE tier = candidate.number AND earnest.offer_terms(service_id) @@ coalesce(terms && filters, terms)
            AND search @@ count_offers.verified
            AND offer.price BETWEEN price_from AND price_to AND offer.delivery_time_hours <= hours
            AND offer.completed_orders >= orders_from AND offer.score >= score_from AND offer.rating >= rating_from
            AND offer.on_time >= on_time_from
            AND (currencies IS NULL OR offer.price_currency = ANY (currencies))
          OFFSET 0) AS matches
        WHERE candidate.number >= earnest.tier_of(orders_from, 0)
        LIMIT needed) AS limited);
    ELSIF filters IS NULL THEN
      counted := (SELECT count(*) FROM (
        SELECT FROM unnest(tiers) AS candidate (number) CROSS JOIN LATERAL (
          SELECT FROM earnest.ranked_offer
          WHERE tier = candidate.number AND earnest.offer_terms(service_id) @@ terms
            AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
            AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
            AND (currencies IS NULL OR price_currency = ANY (currencies))
          OFFSET 0) AS matches
        WHERE candidate.number >= earnest.tier_of(orders_from, 0)
        LIMIT needed) AS limited);
    ELSE
      SELECT count(*), min(number) INTO counted, lowest_found FROM (
        SELECT number FROM unnest(tiers) AS candidate (number) CROSS JOIN LATERAL (
          SELECT FROM earnest.ranked_offer
          WHERE tier = candidate.number AND earnest.offer_terms(service_id) @@ terms AND earnest.offer_terms(service_id) @@ filters
            AND price BETWEEN price_from AND price_to AND delivery_time_hours <= hours
            AND completed_orders >= orders_from AND score >= score_from AND rating >= rating_from AND on_time >= on_time_from
            AND (currencies IS NULL OR price_currency = ANY (currencies))
          OFFSET 0) AS matches
        WHERE candidate.number >= earnest.tier_of(orders_from, 0)
        LIMIT needed) AS limited;
    END IF;
    IF counted >= needed THEN RETURN most; END IF;
    IF step = 1 THEN lowest_with_match := lowest_found; END IF;
    IF step = 2 THEN counted_in_full := counted; ELSE counted_by_tiebreak := counted_by_tiebreak + counted; END IF;
    EXIT WHEN share = 1;
  END LOOP;
  RETURN counted_in_full + counted_by_tiebreak;
END $$;--> statement-breakpoint

-- ==== Reviews.
-- A review counts while its order is settled. It stops counting when a reorganisation of the chain removes the settlement.
CREATE FUNCTION "earnest"."settle_review"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM earnest.review WHERE order_id = NEW.id) THEN RETURN NULL; END IF;
  -- The agent is locked before the sums of its reviews, as by every change of an outcome.
  PERFORM FROM earnest.agent WHERE id = NEW.agent_id FOR NO KEY UPDATE;
  UPDATE earnest.review SET settled = NEW.status IN ('released', 'refunded') WHERE order_id = NEW.id;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "order_settled_review" AFTER UPDATE OF "status" ON "earnest"."order" FOR EACH ROW
  WHEN ((OLD.status IN ('released', 'refunded')) <> (NEW.status IN ('released', 'refunded')))
  EXECUTE FUNCTION earnest.settle_review();--> statement-breakpoint
CREATE FUNCTION "earnest"."set_review_apart"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.apart := EXISTS (SELECT FROM earnest.order_outcome WHERE order_id = NEW.order_id AND apart IS NOT NULL);
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "review_apart" BEFORE INSERT ON "earnest"."review" FOR EACH ROW EXECUTE FUNCTION earnest.set_review_apart();--> statement-breakpoint
-- The number that a review adds to the count of a rating: 0 for a missing review (OLD of an insert).
CREATE FUNCTION "earnest"."review_counts"(review "earnest"."review", stars integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(review.settled AND NOT review.apart AND review.hidden_at IS NULL AND review.rating = stars, false)::integer
$$;--> statement-breakpoint
CREATE FUNCTION "earnest"."tally_review"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.review_tally AS tally
    (service_id, agent_id, rated_1, rated_2, rated_3, rated_4, rated_5, marked, withdrawn, apart, hidden)
    VALUES (NEW.service_id, NEW.agent_id,
      earnest.review_counts(NEW, 1) - earnest.review_counts(OLD, 1),
      earnest.review_counts(NEW, 2) - earnest.review_counts(OLD, 2),
      earnest.review_counts(NEW, 3) - earnest.review_counts(OLD, 3),
      earnest.review_counts(NEW, 4) - earnest.review_counts(OLD, 4),
      earnest.review_counts(NEW, 5) - earnest.review_counts(OLD, 5),
      (NEW.marked AND NEW.settled AND NOT NEW.apart AND NEW.rating IS NOT NULL AND NEW.hidden_at IS NULL)::integer
        - coalesce(OLD.marked AND OLD.settled AND NOT OLD.apart AND OLD.rating IS NOT NULL AND OLD.hidden_at IS NULL,
          false)::integer,
      (NEW.withdrawn_at IS NOT NULL)::integer - coalesce(OLD.id IS NOT NULL AND OLD.withdrawn_at IS NOT NULL, false)::integer,
      (NEW.apart AND NEW.settled AND NEW.rating IS NOT NULL AND NEW.hidden_at IS NULL)::integer
        - coalesce(OLD.apart AND OLD.settled AND OLD.rating IS NOT NULL AND OLD.hidden_at IS NULL, false)::integer,
      (NEW.hidden_at IS NOT NULL AND NEW.withdrawn_at IS NULL)::integer
        - coalesce(OLD.hidden_at IS NOT NULL AND OLD.withdrawn_at IS NULL, false)::integer)
    ON CONFLICT (service_id) DO UPDATE SET
      rated_1 = tally.rated_1 + excluded.rated_1,
      rated_2 = tally.rated_2 + excluded.rated_2,
      rated_3 = tally.rated_3 + excluded.rated_3,
      rated_4 = tally.rated_4 + excluded.rated_4,
      rated_5 = tally.rated_5 + excluded.rated_5,
      marked = tally.marked + excluded.marked,
      withdrawn = tally.withdrawn + excluded.withdrawn,
      apart = tally.apart + excluded.apart,
      hidden = tally.hidden + excluded.hidden;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "review_tallied" AFTER INSERT ON "earnest"."review" FOR EACH ROW EXECUTE FUNCTION earnest.tally_review();--> statement-breakpoint
CREATE TRIGGER "review_change_tallied" AFTER UPDATE ON "earnest"."review" FOR EACH ROW
  WHEN ((OLD.rating, OLD.settled, OLD.marked, OLD.withdrawn_at, OLD.apart, OLD.hidden_at)
    IS DISTINCT FROM (NEW.rating, NEW.settled, NEW.marked, NEW.withdrawn_at, NEW.apart, NEW.hidden_at))
  EXECUTE FUNCTION earnest.tally_review();--> statement-breakpoint

-- ==== Reputation.
-- Whether an outcome was delivered on time, as `deliveryOf` of protocol/reputation/agent-record.ts. Null if no delivery is to be counted.
CREATE FUNCTION "earnest"."delivery_of"(outcome "earnest"."order_outcome") RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN outcome.delivered_at <= outcome.funded_at + make_interval(secs => outcome.promised_seconds) THEN 'on_time'
    WHEN outcome.delivered_at IS NOT NULL THEN 'late' WHEN outcome.ended NOT IN ('declined', 'metered') THEN 'none' END
$$;--> statement-breakpoint
-- The seconds from payment to delivery. The service's clock may be behind the chain's.
CREATE FUNCTION "earnest"."seconds_taken"(outcome "earnest"."order_outcome") RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN outcome.delivered_at IS NOT NULL
    THEN floor(greatest(0, extract(epoch FROM outcome.delivered_at - outcome.funded_at)))::bigint END
$$;--> statement-breakpoint
-- A new counterparty gets the next number. The row of the agent is locked first: of two at once, one waits.
CREATE FUNCTION "earnest"."number_counterparty"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM earnest.counterparty WHERE agent_id = NEW.agent_id AND buyer_account_id = NEW.buyer_account_id) THEN
    PERFORM FROM earnest.agent WHERE id = NEW.agent_id FOR NO KEY UPDATE;
    INSERT INTO earnest.counterparty (agent_id, buyer_account_id, number)
      SELECT NEW.agent_id, NEW.buyer_account_id, coalesce(max(number), 0) + 1
      FROM earnest.counterparty WHERE agent_id = NEW.agent_id
      ON CONFLICT (agent_id, buyer_account_id) DO NOTHING;
  END IF;
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "order_outcome_named" BEFORE INSERT ON "earnest"."order_outcome"
  FOR EACH ROW EXECUTE FUNCTION earnest.number_counterparty();--> statement-breakpoint
-- Counts which proved wallet paid which wallet at arm's length. A missing outcome counts nothing, as OLD of an insert.
CREATE FUNCTION "earnest"."count_payer"(outcome "earnest"."order_outcome", change integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF outcome.order_id IS NULL OR outcome.released = 0 OR outcome.apart IS NOT NULL OR NOT outcome.wallet_proved THEN RETURN; END IF;
  INSERT INTO earnest.wallet_paid AS pair (chain_id, wallet, provider_address, orders)
    VALUES (outcome.chain_id, outcome.wallet, outcome.provider_address, change)
    ON CONFLICT (wallet, provider_address, chain_id) DO UPDATE SET orders = pair.orders + change;
  IF change < 0 THEN
    DELETE FROM earnest.wallet_paid WHERE orders = 0
      AND (wallet, provider_address, chain_id) = (outcome.wallet, outcome.provider_address, outcome.chain_id);
  END IF;
END $$;--> statement-breakpoint
-- The earliest time of the next computation of an agent's record: the more outcomes it has, the later.
CREATE FUNCTION "earnest"."record_due_at"(agent text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT greatest(now(), (
    SELECT as_of + make_interval(secs => 10 + outcomes / 100.0) FROM earnest.agent_record WHERE id = agent))
$$;--> statement-breakpoint
-- Follows an outcome that is added, changed or removed. A record that waits only for the ages of wallets is computed sooner if its
-- outcomes change. A record that a worker is computing keeps its time.
CREATE FUNCTION "earnest"."follow_outcome"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE agent text := CASE WHEN TG_OP = 'DELETE' THEN OLD.agent_id ELSE NEW.agent_id END;
BEGIN
  INSERT INTO earnest.record_due AS due (agent_id, due_at) VALUES (agent, earnest.record_due_at(agent))
    ON CONFLICT (agent_id) DO UPDATE SET changes = due.changes + 1,
      due_at = CASE WHEN due.due_at = due.ages_due_at THEN least(due.due_at, excluded.due_at) ELSE due.due_at END;
  IF TG_OP <> 'INSERT' THEN PERFORM earnest.count_payer(OLD, -1); END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM earnest.count_payer(NEW, 1);
    INSERT INTO earnest.agent_wallet (agent_id, address) VALUES (NEW.agent_id, NEW.provider_address)
      ON CONFLICT DO NOTHING;
    UPDATE earnest.review SET apart = NEW.apart IS NOT NULL
      WHERE order_id = NEW.order_id AND apart <> (NEW.apart IS NOT NULL);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "order_outcome_followed" AFTER INSERT OR UPDATE OR DELETE ON "earnest"."order_outcome"
  FOR EACH ROW EXECUTE FUNCTION earnest.follow_outcome();--> statement-breakpoint
CREATE FUNCTION "earnest"."queue_provenance_check"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.provenance AS queued (provider_account_id, wallet, chain_id, token)
    VALUES (NEW.provider_account_id, NEW.wallet, NEW.chain_id, NEW.token)
    ON CONFLICT (provider_account_id, wallet, chain_id, token) DO UPDATE
      SET next_check_at = greatest(now(), queued.attempted_at + interval '1 day')
      WHERE queued.next_check_at IS NULL OR queued.next_check_at > greatest(now(), queued.attempted_at + interval '1 day');
  RETURN NULL;
END $$;--> statement-breakpoint
-- Whether the provider was paid for its work, as `isPaid` of protocol/reputation/public-outcome.ts.
CREATE FUNCTION "earnest"."is_paid"(outcome "earnest"."order_outcome") RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE outcome.ended WHEN 'metered' THEN outcome.released > 0 ELSE outcome.released > outcome.refunded END
$$;--> statement-breakpoint
-- After a payment, a job checks on the chain whether the money came from the provider: at once, then at most once a day.
CREATE TRIGGER "order_outcome_paid" AFTER INSERT ON "earnest"."order_outcome" FOR EACH ROW
  WHEN (earnest.is_paid(NEW) AND (NEW.apart IS NULL OR NEW.apart = 'money_from_provider'))
  EXECUTE FUNCTION earnest.queue_provenance_check();--> statement-breakpoint
-- The market's number of completed orders: those that paid the provider, between parties at arm's length. The agent is locked before
-- the service, as everywhere.
CREATE FUNCTION "earnest"."count_completed_order"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  outcome earnest.order_outcome := coalesce(NEW, OLD);
  change integer := coalesce(earnest.is_paid(NEW) AND NEW.apart IS NULL, false)::integer
    - coalesce(earnest.is_paid(OLD) AND OLD.apart IS NULL, false)::integer;
BEGIN
  IF change <> 0 THEN
    UPDATE earnest.agent SET completed_orders = completed_orders + change WHERE id = outcome.agent_id;
    UPDATE earnest.service SET completed_orders = completed_orders + change WHERE id = outcome.service_id;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "order_outcome_completed" AFTER INSERT OR UPDATE OR DELETE ON "earnest"."order_outcome"
  FOR EACH ROW EXECUTE FUNCTION earnest.count_completed_order();--> statement-breakpoint

-- ==== Relays: gas of the hour.
-- Adds gas to the sums of an account ($1), of a chain ($2), and of the account's network on that chain, in the minute of $3: gas
-- charged ($4), of calls that ended ($5), and for funded orders ($6). Gas older than two hours is not counted.
CREATE FUNCTION "earnest"."add_relay_gas"(text, integer, timestamptz, bigint, bigint, bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  -- The name is no column's.
  sum_scope text;
  at timestamptz := date_trunc('minute', $3);
BEGIN
  IF at < now() - interval '2 hours' THEN RETURN; END IF;
  FOREACH sum_scope IN ARRAY ARRAY[$1, $2::text, (SELECT $2 || ' ' || network FROM earnest.account WHERE id = $1)] LOOP
    CONTINUE WHEN sum_scope IS NULL;
    -- A locked row is skipped: two transactions that wait here could wait for each other.
    UPDATE earnest.relay_gas AS sums
    SET charged = sums.charged + $4, ended = sums.ended + $5, funded = sums.funded + $6
    WHERE id = (
      SELECT id FROM earnest.relay_gas WHERE scope = sum_scope AND minute = at LIMIT 1 FOR UPDATE SKIP LOCKED
    );
    IF NOT FOUND THEN
      INSERT INTO earnest.relay_gas (scope, minute, charged, ended, funded) VALUES (sum_scope, at, $4, $5, $6);
    END IF;
  END LOOP;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."count_relay_gas"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old_gas bigint := OLD.gas_charged + OLD.gas_charged_before;
  old_ended bigint := CASE WHEN OLD.status IN ('mined', 'failed') THEN old_gas ELSE OLD.gas_charged_before END;
  old_funded bigint := CASE WHEN OLD.for_funded THEN old_gas ELSE 0 END;
  new_gas bigint := NEW.gas_charged + NEW.gas_charged_before;
  new_ended bigint := CASE WHEN NEW.status IN ('mined', 'failed') THEN new_gas ELSE NEW.gas_charged_before END;
  new_funded bigint := CASE WHEN NEW.for_funded THEN new_gas ELSE 0 END;
BEGIN
  IF NEW.account_id = OLD.account_id AND NEW.chain_id = OLD.chain_id
    AND date_trunc('minute', NEW.queued_at) = date_trunc('minute', OLD.queued_at) THEN
    PERFORM earnest.add_relay_gas(
      NEW.account_id, NEW.chain_id, NEW.queued_at, new_gas - old_gas, new_ended - old_ended, new_funded - old_funded
    );
    RETURN NULL;
  END IF;
  IF OLD.account_id IS NOT NULL THEN
    PERFORM earnest.add_relay_gas(OLD.account_id, OLD.chain_id, OLD.queued_at, -old_gas, -old_ended, -old_funded);
  END IF;
  IF NEW.account_id IS NOT NULL THEN
    PERFORM earnest.add_relay_gas(NEW.account_id, NEW.chain_id, NEW.queued_at, new_gas, new_ended, new_funded);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "relay_gas_added" AFTER INSERT ON "earnest"."relay"
  FOR EACH ROW WHEN (NEW.account_id IS NOT NULL) EXECUTE FUNCTION "earnest"."count_relay_gas"();--> statement-breakpoint
CREATE TRIGGER "relay_gas_changed"
  AFTER UPDATE OF "status", "account_id", "chain_id", "queued_at", "for_funded", "gas_charged", "gas_charged_before"
  ON "earnest"."relay" FOR EACH ROW
  WHEN (
    (OLD.account_id IS NOT NULL OR NEW.account_id IS NOT NULL) AND
    (OLD.account_id, OLD.chain_id, OLD.queued_at, OLD.for_funded, OLD.gas_charged, OLD.gas_charged_before, OLD.status IN ('mined', 'failed'))
    IS DISTINCT FROM
    (NEW.account_id, NEW.chain_id, NEW.queued_at, NEW.for_funded, NEW.gas_charged, NEW.gas_charged_before, NEW.status IN ('mined', 'failed'))
  ) EXECUTE FUNCTION "earnest"."count_relay_gas"();--> statement-breakpoint
CREATE TRIGGER "relay_gas_removed" AFTER DELETE ON "earnest"."relay"
  FOR EACH ROW WHEN (OLD.account_id IS NOT NULL) EXECUTE FUNCTION "earnest"."count_relay_gas"();--> statement-breakpoint
-- The sums of a scope ($1) over the whole minutes from $2 on. The caller adds the rest of the hour's first minute from the relays.
CREATE FUNCTION "earnest"."relay_gas_since"(
  text, timestamptz, OUT charged float8, OUT ended float8, OUT funded float8
) LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(charged), 0)::float8, coalesce(sum(ended), 0)::float8, coalesce(sum(funded), 0)::float8
  FROM earnest.relay_gas WHERE scope = $1 AND minute >= $2
$$;--> statement-breakpoint
-- The gas that accounts used on a chain within the last hour, for funded orders and for others.
CREATE FUNCTION "earnest"."relay_gas_of_hour"(integer, OUT funded float8, OUT unfunded float8) LANGUAGE plpgsql STABLE AS $$
DECLARE
  first_whole_minute timestamptz := date_trunc('minute', now() - interval '1 hour') + interval '1 minute';
  sums record;
BEGIN
  SELECT * INTO sums FROM earnest.relay_gas_since($1::text, first_whole_minute);
  SELECT
    sums.funded + coalesce(sum(gas_charged + gas_charged_before) FILTER (WHERE for_funded), 0),
    sums.charged - sums.funded + coalesce(sum(gas_charged + gas_charged_before) FILTER (WHERE NOT for_funded), 0)
  INTO funded, unfunded
  FROM earnest.relay
  WHERE chain_id = $1 AND account_id IS NOT NULL AND queued_at > now() - interval '1 hour' AND queued_at < first_whole_minute;
END $$;--> statement-breakpoint
-- The gas of unfunded orders that accounts from the network of an account ($1) used on a chain ($2) within the last hour; null if
-- the network is not known.
CREATE FUNCTION "earnest"."relay_gas_of_network"(text, integer) RETURNS float8 LANGUAGE plpgsql STABLE AS $$
DECLARE
  first_whole_minute timestamptz := date_trunc('minute', now() - interval '1 hour') + interval '1 minute';
  own_network text := (SELECT network FROM earnest.account WHERE id = $1);
  sums record;
BEGIN
  IF own_network IS NULL THEN RETURN NULL; END IF;
  SELECT * INTO sums FROM earnest.relay_gas_since($2 || ' ' || own_network, first_whole_minute);
  RETURN sums.charged - sums.funded + (
    SELECT coalesce(sum(gas_charged + gas_charged_before), 0)
    FROM earnest.relay JOIN earnest.account ON account.id = relay.account_id
    WHERE account.network = own_network AND chain_id = $2 AND NOT for_funded
      AND queued_at > now() - interval '1 hour' AND queued_at < first_whole_minute);
END $$;--> statement-breakpoint
-- Makes transactions of an account ($1) take turns and returns its gas of the hour: all, the part of ended calls, and the seconds
-- until it is below its limit ($3). With $4 it also returns the gas of the chain ($2).
CREATE FUNCTION "earnest"."lock_relay_gas"(
  text, integer, bigint, boolean,
  OUT used float8, OUT ended float8, OUT retry_after float8, OUT funded float8, OUT unfunded float8
) LANGUAGE plpgsql AS $$
DECLARE
  first_whole_minute timestamptz := date_trunc('minute', now() - interval '1 hour') + interval '1 minute';
  sums record;
BEGIN
  -- Each statement after the lock sees what earlier holders committed.
  PERFORM pg_advisory_xact_lock(hashtextextended('relay budget ' || $1, 0));
  SELECT * INTO sums FROM earnest.relay_gas_since($1, first_whole_minute);
  SELECT
    sums.charged + coalesce(sum(gas_charged + gas_charged_before), 0),
    sums.ended + coalesce(sum(gas_charged_before + CASE WHEN status IN ('mined', 'failed') THEN gas_charged ELSE 0 END), 0)
  INTO used, ended
  FROM earnest.relay WHERE account_id = $1 AND queued_at > now() - interval '1 hour' AND queued_at < first_whole_minute;
  IF used > $3 THEN
    SELECT extract(epoch FROM min(queued_at) + interval '1 hour' - now()) INTO retry_after FROM (
      SELECT queued_at, sum(gas_charged + gas_charged_before) OVER (ORDER BY queued_at, id) AS freed
      FROM earnest.relay WHERE account_id = $1 AND queued_at > now() - interval '1 hour'
    ) AS recent
    WHERE used - freed <= $3;
  ELSIF $4 THEN
    SELECT * INTO funded, unfunded FROM earnest.relay_gas_of_hour($2);
  END IF;
END $$;--> statement-breakpoint
-- Refuses a call that was just queued, of an account ($1) on a chain ($2), for a funded order or not ($3). The gas of an hour is
-- limited for the account ($4), for all accounts ($5), for calls of unfunded orders ($6), and for such calls from one network ($7).
-- The function raises an error instead of returning a row, so that the caller can send the commit with it.
CREATE FUNCTION "earnest"."require_relay_gas"(text, integer, boolean, bigint, bigint, bigint, bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  gas record;
  budget text;
BEGIN
  SELECT * INTO gas FROM earnest.lock_relay_gas($1, $2, $4, $5 IS NOT NULL);
  budget := CASE
    WHEN gas.used > $4 THEN 'account'
    WHEN gas.funded + gas.unfunded > $5 THEN 'all'
    WHEN NOT $3 AND gas.unfunded > $6 THEN 'unfunded'
    WHEN NOT $3 AND earnest.relay_gas_of_network($1, $2) > $7 THEN 'network'
  END;
  IF budget IS NOT NULL THEN
    RAISE EXCEPTION USING
      ERRCODE = 'EG001', MESSAGE = 'the gas of the hour is used up',
      DETAIL = json_build_object('budget', budget, 'ended', gas.ended, 'retry_after', gas.retry_after)::text;
  END IF;
END $$;--> statement-breakpoint

-- ==== Counts of accounts by day.
CREATE FUNCTION "earnest"."utc_day"(timestamptz) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ($1 AT TIME ZONE 'UTC')::date
$$;--> statement-breakpoint
-- The step of a duration. Eight steps double the duration, so a step's longest duration is at most 9.1 % above its shortest.
CREATE FUNCTION "earnest"."duration_step"(seconds float8) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ceil(8 * ln(seconds + 1) / ln(2::float8))::integer
$$;--> statement-breakpoint
-- A locked row is skipped: two transactions that wait here could wait for each other.
CREATE FUNCTION "earnest"."add_order_day"(of_account text, on_day date, of_role text, of_agent text, of_status text, change integer)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE earnest.order_day SET orders = orders + change WHERE id = (
    SELECT id FROM earnest.order_day
    WHERE account_id = of_account AND day = on_day AND role = of_role AND status = of_status
      AND agent_id IS NOT DISTINCT FROM of_agent
    LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO earnest.order_day (account_id, day, role, agent_id, status, orders)
      VALUES (of_account, on_day, of_role, of_agent, of_status, change);
  END IF;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."add_escrow_sum"(of_account text, of_role text, placed "earnest"."order", held_change integer, disputed_change integer)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE earnest.escrow_sum SET held = held + placed.amount * held_change,
    disputed = disputed + placed.amount * disputed_change, orders = orders + held_change
  WHERE id = (
    SELECT id FROM earnest.escrow_sum
    WHERE account_id = of_account AND role = of_role AND chain_id = placed.chain_id AND token = placed.token
      AND (token_symbol, token_decimals) = (placed.token_symbol, placed.token_decimals)
    LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO earnest.escrow_sum (account_id, role, chain_id, token, token_symbol, token_decimals, held, disputed, orders)
      VALUES (of_account, of_role, placed.chain_id, placed.token, placed.token_symbol, placed.token_decimals,
        placed.amount * held_change, placed.amount * disputed_change, held_change);
  END IF;
END $$;--> statement-breakpoint
-- Counts an order for both parties: under its status, and its amount while it is in escrow.
CREATE FUNCTION "earnest"."count_order"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  on_day date := earnest.utc_day(NEW.created_at);
  held_change integer := (NEW.status IN ('funded', 'started', 'delivered', 'disputed'))::integer
    - coalesce((OLD.status IN ('funded', 'started', 'delivered', 'disputed'))::integer, 0);
  disputed_change integer := (NEW.status = 'disputed')::integer - coalesce((OLD.status = 'disputed')::integer, 0);
  party record;
BEGIN
  FOR party IN SELECT * FROM (VALUES
    (NEW.buyer_account_id, 'buyer', NULL), (NEW.provider_account_id, 'provider', NEW.agent_id)
  ) AS parties (account_id, role, agent_id) LOOP
    IF OLD.status IS NOT NULL THEN
      PERFORM earnest.add_order_day(party.account_id, on_day, party.role, party.agent_id, OLD.status, -1);
    END IF;
    PERFORM earnest.add_order_day(party.account_id, on_day, party.role, party.agent_id, NEW.status, 1);
    IF held_change <> 0 OR disputed_change <> 0 THEN
      PERFORM earnest.add_escrow_sum(party.account_id, party.role, NEW, held_change, disputed_change);
    END IF;
  END LOOP;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "order_placed_counted" AFTER INSERT ON "earnest"."order" FOR EACH ROW EXECUTE FUNCTION earnest.count_order();--> statement-breakpoint
CREATE TRIGGER "order_counted" AFTER UPDATE OF "status" ON "earnest"."order" FOR EACH ROW
  WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION earnest.count_order();--> statement-breakpoint
-- Adds the settlements of a receipt ($1) to the days of the parties, or takes them back. A party counts what it paid and got. $2 is
-- the only role to count, or null.
CREATE FUNCTION "earnest"."add_settlements"(text, text, change integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE settled record;
BEGIN
  FOR settled IN
    SELECT of.account_id, earnest.utc_day(fact.occurred_at) AS day, earnest.utc_day(of.created_at) AS recorded_on, of.role, of.claim,
      CASE of.role WHEN 'provider' THEN placed.agent_id END AS agent_id,
      placed.chain_id, placed.token, placed.token_symbol, placed.token_decimals, (fact.data ->> 'amount_base_units')::numeric AS amount
    FROM earnest.account_settlement AS of
      JOIN earnest.receipt ON receipt.id = of.receipt_id
      JOIN earnest.fact ON fact.id = receipt.fact_id
      JOIN earnest."order" AS placed ON placed.id = receipt.order_id
    WHERE of.receipt_id = $1 AND of.role = coalesce($2, of.role)
      AND (of.role, of.claim) IN (('buyer', 'funded'), ('buyer', 'refunded'), ('provider', 'released'))
  LOOP
    UPDATE earnest.settlement_day SET amount = amount + settled.amount * change, settlements = settlements + change WHERE id = (
      SELECT id FROM earnest.settlement_day AS known
      WHERE known.account_id = settled.account_id AND known.day = settled.day AND known.role = settled.role
        AND known.claim = settled.claim AND known.recorded_on = settled.recorded_on
        AND known.agent_id IS NOT DISTINCT FROM settled.agent_id
        AND (known.chain_id, known.token, known.token_symbol, known.token_decimals)
          = (settled.chain_id, settled.token, settled.token_symbol, settled.token_decimals)
      LIMIT 1 FOR UPDATE SKIP LOCKED);
    IF NOT FOUND THEN
      INSERT INTO earnest.settlement_day (account_id, day, recorded_on, role, claim, agent_id, chain_id, token, token_symbol,
          token_decimals, amount, settlements)
        VALUES (settled.account_id, settled.day, settled.recorded_on, settled.role, settled.claim, settled.agent_id, settled.chain_id,
          settled.token, settled.token_symbol, settled.token_decimals, settled.amount * change, change);
    END IF;
  END LOOP;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."count_settlement"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'receipt' THEN
    PERFORM earnest.add_settlements(NEW.id, NULL, CASE WHEN NEW.revoked_at IS NULL THEN 1 ELSE -1 END);
  ELSE
    PERFORM earnest.add_settlements(NEW.receipt_id, NEW.role, 1);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "account_settlement_counted" AFTER INSERT ON "earnest"."account_settlement" FOR EACH ROW
  EXECUTE FUNCTION earnest.count_settlement();--> statement-breakpoint
CREATE TRIGGER "receipt_counted" AFTER UPDATE OF "revoked_at" ON "earnest"."receipt" FOR EACH ROW
  WHEN ((OLD.revoked_at IS NULL) <> (NEW.revoked_at IS NULL)) EXECUTE FUNCTION earnest.count_settlement();--> statement-breakpoint
CREATE FUNCTION "earnest"."add_delivery"(outcome "earnest"."order_outcome", change integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  delivered_as text := earnest.delivery_of(outcome);
  on_day date := earnest.utc_day(outcome.settled_at);
  at_step integer := earnest.duration_step(earnest.seconds_taken(outcome));
BEGIN
  IF outcome.order_id IS NULL OR delivered_as IS NULL THEN RETURN; END IF;
  UPDATE earnest.delivery_day SET orders = orders + change WHERE id = (
    SELECT id FROM earnest.delivery_day
    WHERE account_id = outcome.provider_account_id AND day = on_day AND agent_id = outcome.agent_id
      AND delivery = delivered_as AND step IS NOT DISTINCT FROM at_step
    LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO earnest.delivery_day (account_id, day, agent_id, delivery, step, orders)
      VALUES (outcome.provider_account_id, on_day, outcome.agent_id, delivered_as, at_step, change);
  END IF;
END $$;--> statement-breakpoint
CREATE FUNCTION "earnest"."count_delivery"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM earnest.add_delivery(OLD, -1);
  PERFORM earnest.add_delivery(NEW, 1);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "order_outcome_counted" AFTER INSERT OR DELETE ON "earnest"."order_outcome" FOR EACH ROW
  EXECUTE FUNCTION earnest.count_delivery();--> statement-breakpoint
CREATE TRIGGER "order_outcome_change_counted" AFTER UPDATE ON "earnest"."order_outcome" FOR EACH ROW
  WHEN ((OLD.funded_at, OLD.delivered_at, OLD.settled_at, OLD.ended) IS DISTINCT FROM (NEW.funded_at, NEW.delivered_at, NEW.settled_at, NEW.ended))
  EXECUTE FUNCTION earnest.count_delivery();--> statement-breakpoint
-- Counts each end of a delivery of an event. A delivery that is sent again ends again.
CREATE FUNCTION "earnest"."count_webhook"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  of_account text := (SELECT account_id FROM earnest.webhook_endpoint WHERE id = NEW.endpoint_id);
  on_day date := earnest.utc_day(now());
  is_ok integer := (NEW.status = 'succeeded')::integer;
BEGIN
  UPDATE earnest.webhook_day SET succeeded = succeeded + is_ok, failed = failed + 1 - is_ok WHERE id = (
    SELECT id FROM earnest.webhook_day WHERE account_id = of_account AND day = on_day LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO earnest.webhook_day (account_id, day, succeeded, failed) VALUES (of_account, on_day, is_ok, 1 - is_ok);
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "webhook_delivery_counted" AFTER UPDATE OF "status" ON "earnest"."webhook_delivery" FOR EACH ROW
  WHEN (OLD.status <> NEW.status AND NEW.status IN ('succeeded', 'failed') AND NEW.event_id IS NOT NULL)
  EXECUTE FUNCTION earnest.count_webhook();--> statement-breakpoint
CREATE FUNCTION "earnest"."note_score"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO earnest.score_day (agent_id, day, score, upper, orders)
    VALUES (NEW.agent_id, earnest.utc_day(NEW.as_of), NEW.score, NEW.upper, NEW.orders)
    ON CONFLICT (agent_id, day) DO UPDATE SET score = excluded.score, upper = excluded.upper, orders = excluded.orders;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "agent_record_score_noted" AFTER INSERT OR UPDATE ON "earnest"."agent_record" FOR EACH ROW
  WHEN (NEW.service_id IS NULL) EXECUTE FUNCTION earnest.note_score();--> statement-breakpoint

-- ==== Files: the stored bytes.
-- Adds the bytes of a file to its buckets when its row is written, and subtracts them when its bytes are gone. The bucket of all
-- files comes first, so that two transactions do not wait for each other.
CREATE FUNCTION "earnest"."tally_file"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  counted earnest.file := CASE WHEN TG_OP = 'INSERT' THEN NEW ELSE OLD END;
  change bigint := CASE WHEN TG_OP = 'INSERT' THEN counted.size ELSE -counted.size END;
BEGIN
  INSERT INTO earnest.file_tally AS tally (bucket, bytes)
    SELECT bucket, change FROM unnest(counted.tallied) WITH ORDINALITY AS part (bucket, place) ORDER BY place
    ON CONFLICT (bucket) DO UPDATE SET bytes = tally.bytes + excluded.bytes;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "file_tallied" AFTER INSERT ON "earnest"."file" FOR EACH ROW EXECUTE FUNCTION earnest.tally_file();--> statement-breakpoint
CREATE TRIGGER "file_removed" AFTER UPDATE OF "removed_at" ON "earnest"."file" FOR EACH ROW
  WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL) EXECUTE FUNCTION earnest.tally_file();--> statement-breakpoint
CREATE TRIGGER "file_deleted" AFTER DELETE ON "earnest"."file" FOR EACH ROW
  WHEN (OLD.removed_at IS NULL) EXECUTE FUNCTION earnest.tally_file();--> statement-breakpoint

-- ==== Webhooks.
-- The id of the delivery of an event to an endpoint: the time of the event, then 16 digits of base 32 of a hash of both ids.
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

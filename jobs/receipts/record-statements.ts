import type { Logger } from "pino";
import { getAddress } from "viem";
import type { Config } from "../../config/config.ts";
import type { ReceiptSigner } from "../../config/keys/signing-key.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import { agent, agentRecord, orderOutcome, recordStatement } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { formula } from "../../protocol/reputation/score.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import type { RecordStatement, SignedRecordStatement } from "../../receipts/record-statement.ts";
import { signRecordStatement } from "../../receipts/sign.ts";
import { currentKey, multikeyMethodId } from "../../receipts/signing-keys.ts";

/** How long a statement is valid. A record is computed at least weekly, and its statement with it. */
const validForMs = 30 * 86_400_000;
/** Statements in one transaction: the rows stay locked while they are signed. */
const page = 20;
/** The most payout wallets in a statement, newest first, including the agent's own. */
const mostWallets = 100;

/** Whether a record is newer than its agent's statement. */
export const hasUnsignedRecord: SQL = sql`exists (select from ${agentRecord} where outcomes_root is not null
  and (stated_as_of is null or stated_as_of < as_of))`;

type DueRecord = {
  id: string;
  slug: string;
  name: string;
  wallets: string[];
  record: Pick<RecordStatement, "ever" | "days_90" | "days_30">;
  score: number | null;
  upper: number | null;
  share: number | null;
  evidence: number;
  outcomes_root: string;
  as_of: string;
};

/**
 * Returns a function that signs a statement for each record that was computed since its agent's last statement.
 * Statements of a compromised key or of another issuer are signed again. Several workers may run: each locks other rows.
 */
export function createStatementRounds(
  db: Database,
  { publicUrl }: Pick<Config, "publicUrl">,
  signer: ReceiptSigner,
  { log, signal }: { log: Logger; signal?: AbortSignal },
): () => Promise<void> {
  let isIssuerChecked = false;
  return async () => {
    if (!isIssuerChecked)
      await markUnsigned(sql`key_id not like ${`${signer.issuer.replaceAll(/[%_\\]/g, "\\$&")}#%`}`);
    isIssuerChecked = true;
    const leaked = signer.keys.filter(({ compromised_since }) => compromised_since !== null);
    if (leaked.length > 0) {
      const ids = leaked.map((key) => multikeyMethodId(signer.issuer, key));
      await markUnsigned(sql`key_id = any(${sql.param(ids)}::text[])`);
    }
    for (let signed = page; signed === page && !signal?.aborted; ) {
      signed = await inTransaction(db, signDue);
    }
  };

  async function markUnsigned(which: SQL): Promise<void> {
    await db.execute(sql`
      update ${agentRecord} set stated_as_of = null
      where id in (select agent_id from ${recordStatement} where ${which})`);
  }

  async function signDue(tx: Transaction): Promise<number> {
    const { rows } = await tx.execute<DueRecord>(sql`
      with due as (
        select * from ${agentRecord} where outcomes_root is not null and (stated_as_of is null or stated_as_of < as_of)
        order by as_of limit ${page} for update skip locked)
      select due.id, slug, name, due.record, due.score, due.upper, due.share, due.evidence, due.outcomes_root,
        (extract(epoch from due.as_of) * 1000)::bigint as as_of,
        array(select wallet from (
            select payout_wallet as wallet, true as is_own where payout_wallet is not null
            union all
            (select distinct provider_address, false from ${orderOutcome} o where o.agent_id = due.id
              and provider_address is distinct from payout_wallet order by 1 limit ${mostWallets - 1})) as known
          order by is_own desc, wallet) as wallets
      from due join ${agent} on ${agent}.id = due.id`);
    const signed: { agent_id: string; document: SignedRecordStatement; key_id: string }[] = [];
    for (const row of rows) {
      try {
        const document = sign(row);
        signed.push({ agent_id: row.id, document, key_id: document.proof.verificationMethod });
      } catch (error) {
        // The previous statement stays until the record is computed again, so that a failure does not hold up the
        // others.
        log.error({ err: error, agent_id: row.id }, "the statement of an agent's record could not be signed");
      }
    }
    await tx.execute(sql`
      insert into ${recordStatement} (agent_id, document, key_id)
      select agent_id, document, key_id
      from jsonb_to_recordset(${JSON.stringify(signed)}::jsonb) as row (agent_id text, document jsonb, key_id text)
      on conflict (agent_id) do update set document = excluded.document, key_id = excluded.key_id`);
    await tx.execute(sql`
      update ${agentRecord} set stated_as_of = as_of where id = any(${sql.param(rows.map(({ id }) => id))}::text[])`);
    return rows.length;
  }

  function sign({ id, slug, name, wallets, record, ...row }: DueRecord): SignedRecordStatement {
    const now = new Date();
    const { ever, days_90, days_30 } = record;
    const base = `${publicUrl}${apiPath}`;
    return signRecordStatement(
      {
        $schema: `${base}/schemas/agent-record-statement-1.json`,
        id: `${base}/agents/${slug}/record/statement`,
        type: "AgentRecordStatement",
        version: 1,
        issuer: signer.issuer,
        issued_at: now.toISOString(),
        valid_until: new Date(now.getTime() + validForMs).toISOString(),
        agent: { id, slug, name, wallets: wallets.map((wallet) => getAddress(wallet)) },
        as_of: new Date(Number(row.as_of)).toISOString(),
        score: {
          formula,
          value: row.score ?? 0,
          upper: row.upper ?? 1000,
          share: row.share,
          evidence: row.evidence,
        },
        ever,
        days_90,
        days_30,
        outcomes_root: row.outcomes_root,
      },
      currentKey(signer.keys, now),
      signer.issuer,
    );
  }
}

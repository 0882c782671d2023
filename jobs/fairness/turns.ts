import { type SQL, sql } from "../../db/drizzle.ts";

/**
 * A table of requests to unproven servers, with a row for each request (`status`, `next_attempt_at`), and a lane for
 * each endpoint. So a slow or dead endpoint holds up only its own lane.
 */
export type Queue = {
  table: SQL;
  /** the column of a row's lane */
  lane: SQL;
  /** whether a row is due */
  hasDue: SQL;
  /** whether a row, `one`, is due and not leased */
  isFree: SQL;
  /** which rows of a lane, `known`, may start now; all by default */
  isWanted?: SQL;
  /** the rows in flight: `lane`, `account_id` and `host` */
  held: SQL;
  /**
   * Selects the lanes of `waiting`, with the most requests of each in flight. Columns: `lane`, `account_id`, `host`.
   *
   * `is_careful` marks a slow or unproven lane. `is_trial` marks a lane with turns of its own at a host. `is_party`
   * marks a careful lane of a party of funded orders, whose attempts precede those of other accounts.
   *
   * Limits: `most_of_lane`, `most_of_account`, `most_careful` of an account, `most_of_host`, `most_of_account_at_host`.
   * Remaining rates: `account_allows`, `host_allows`. `tried_at` and `account_tried_at` order the attempts.
   */
  lanes: SQL;
};

/** The free slots of a process, and those of them for careful lanes. */
export type FreeSlots = { slots: number; carefulSlots: number };

/**
 * Returns parts of a statement (`with recursive`). `picked` has the rows to start now, each with its lane's columns.
 * `locked` has the ids of those that could be locked. Every account gets a turn before any gets a second, and so does
 * each of its lanes.
 */
export const pickTurns = (queue: Queue, { slots, carefulSlots }: FreeSlots) => sql`
  -- One probe of the index for each lane with pending rows, however many; none while nothing is due.
  waiting(lane) as (
    (select ${queue.lane} from ${queue.table} where status = 'pending' and ${queue.hasDue} order by ${queue.lane} limit 1)
    union all
    select (
      select ${queue.lane} from ${queue.table}
      where status = 'pending' and ${queue.lane} > waiting.lane order by ${queue.lane} limit 1)
    from waiting where waiting.lane is not null),
  held as materialized (${queue.held}),
  by_lane as (select lane, count(*)::int as requests from held group by 1),
  by_account as (select account_id, count(*)::int as requests from held group by 1),
  by_host as (select host, count(*)::int as requests from held group by 1),
  by_both as (select host, account_id, count(*)::int as requests from held group by 1, 2),
  known as materialized (
    select lanes.*, coalesce(by_lane.requests, 0) as of_lane
    from (${queue.lanes}) as lanes left join by_lane using (lane)),
  careful as (select account_id, sum(of_lane)::int as requests from known where is_careful group by 1),
  room as (
    select known.*,
      greatest(0, most_of_lane - of_lane) as lane_room,
      most_of_account_at_host - coalesce(by_both.requests, 0) as own_room,
      least(account_allows, most_of_account - coalesce(by_account.requests, 0)) as account_room,
      case when is_careful then most_careful - coalesce(careful.requests, 0) else account_allows end as kind_room,
      least(host_allows, most_of_host - coalesce(by_host.requests, 0)) as host_room
    from known
    left join by_account using (account_id)
    left join careful using (account_id)
    left join by_host using (host)
    left join by_both using (host, account_id)),
  due as (
    select known.*, found.*
    from room as known
    cross join lateral (
      select own.*, row_number() over (order by due_at) as turn
      from (
        select one.id, one.next_attempt_at as due_at from ${queue.table} one
        -- A range of the index of lanes, in its order. Other indexes lack this condition, and would also read other lanes.
        where one.status = 'pending' and (${queue.isFree}) is true and ${queue.isWanted ?? sql`true`}
          and (one.${queue.lane}, one.next_attempt_at) >= (known.lane, '-infinity'::timestamptz)
          and (one.${queue.lane}, one.next_attempt_at) <= (known.lane, now())
        order by one.${queue.lane}, one.next_attempt_at limit known.lane_room) as own) as found
    where known.host_room > 0 and known.account_room > 0 and known.kind_room > 0),
  -- A row without room at its host uses no room of its account.
  at_host as (
    select *, row_number() over (partition by host, account_id, is_trial order by turn, tried_at nulls first, due_at) as own_place
    from due),
  of_account as (
    select *,
      row_number() over (partition by account_id order by turn, tried_at nulls first, due_at) as account_place,
      row_number() over (partition by account_id, is_careful order by turn, tried_at nulls first, due_at) as kind_place
    from at_host where own_place <= own_room),
  placed as (
    select *,
      row_number() over (partition by host, is_trial order by own_place, is_party desc, account_tried_at nulls first, due_at) as host_place
    from of_account where account_place <= account_room and kind_place <= kind_room),
  fitting as (select * from placed where host_place <= host_room),
  picked as (
    (select * from fitting where not is_careful order by account_place, due_at limit ${slots})
    union all
    (select * from fitting where is_careful
    order by account_place, is_party desc, account_tried_at nulls first, due_at limit ${Math.max(0, carefulSlots)})
    limit ${slots}),
  locked as (
    select one.id from picked join ${queue.table} one on one.id = picked.id
    -- Checked again: a concurrent write may have preceded this lock.
    where (${queue.isFree}) is true for update of one skip locked)`;

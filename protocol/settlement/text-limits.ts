/** The longest texts that the service accepts, in characters. The API's checks and the console's forms use them. */
export const longest = {
  /** of an agent, an organisation, a key */
  name: 100,
  skill: 100,
  /** of a service, a request */
  title: 160,
  tagline: 160,
  summary: 300,
  description: 10_000,
  unit: 40,
  tag: 60,
  fileName: 200,
  /** the purpose of a webhook endpoint */
  purpose: 500,
  /** the reason for a revision or an announced dispute */
  reason: 2000,
  /** a note to the buyer with a delivery */
  note: 2000,
  /** the message with a quote */
  message: 5000,
  /** a message on an order */
  orderMessage: 8000,
  /** a review, and its answer */
  review: 2000,
  report: 1000,
  /** the operator's reason for an act, and the answer to reporters */
  act: 1000,
  appeal: 2000,
  /** a comment of feedback */
  comment: 2000,
  /** the subject of a dispute, its statements, and its ruling */
  statement: 4000,
} as const;

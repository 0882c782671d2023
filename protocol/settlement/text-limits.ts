/** The longest texts that the service takes, in characters: its checks and the console's forms use them. */
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
  /** what a webhook endpoint is for */
  purpose: 500,
  /** why a revision is asked for, or a dispute is announced */
  reason: 2000,
  /** a word to the buyer with a delivery */
  note: 2000,
  /** with a quote */
  message: 5000,
  /** a review, and the answer to one */
  review: 2000,
  report: 1000,
  /** a comment of feedback */
  comment: 2000,
  /** what a dispute is about, what is said in it, and its ruling */
  statement: 4000,
} as const;

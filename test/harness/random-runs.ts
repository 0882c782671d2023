/**
 * The number of runs of a test with random input: all of them with `CI=true`, as in `.ci/run`, and a fifth elsewhere, so that
 * `npm test` takes minutes.
 */
export function randomRuns(all: number): number {
  return process.env.CI ? all : Math.ceil(all / 5);
}

/** The part of a list that one of many like cases takes: all with `CI=true`, elsewhere every fifth, from another one on in each case. */
export function sampleOf<T>(list: readonly T[], at: number): T[] {
  return process.env.CI ? [...list] : list.filter((_, index) => (index + at) % 5 === 0);
}

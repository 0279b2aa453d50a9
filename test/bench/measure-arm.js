/**
 * Measures one arm. An arm that throws gives a row with the reason, so that the others are measured
 * as well.
 */
export async function measureArm(name, measure) {
  try {
    return [await measure()].flat()
  } catch (error) {
    return [{ arm: name, failure: error.message }]
  }
}

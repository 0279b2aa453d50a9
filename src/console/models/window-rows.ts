/** Rows of a long list that are in view. All rows have the same height. */
export interface RowWindow {
  first: number
  /** Exclusive. */
  end: number
  /** Pixels above the first and below the last shown row. */
  before: number
  after: number
}

interface Viewport {
  count: number
  rowHeight: number
  scrollTop: number
  height: number
}

/** Rows beyond the edges, so that scrolling by keys shows no gap. */
const OVERSCAN = 12

export function windowRows({ count, rowHeight, scrollTop, height }: Viewport): RowWindow {
  const top = Math.floor(Math.max(0, scrollTop) / rowHeight) - OVERSCAN
  const first = Math.max(0, Math.min(top, count))
  const visible = Math.ceil(Math.max(0, height) / rowHeight) + 2 * OVERSCAN
  const end = Math.min(count, first + visible)
  return { first, end, before: first * rowHeight, after: (count - end) * rowHeight }
}

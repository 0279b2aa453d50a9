// An SVG plot of milliseconds against calls per second: median and 95th percentile. The values
// differ by orders of magnitude, so the milliseconds are on a logarithmic scale.
const [WIDTH, HEIGHT, EDGE] = [640, 400, 56]
const LINES = { median: '#1a66cc', p95: '#cc4a1a' }

export function plot({ title, points }) {
  const scale = createScale(points)
  const lines = Object.entries(LINES).flatMap(([key, colour]) =>
    line(points, { key, colour, scale }),
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text({ at: [WIDTH / 2, 24], words: title }),
    ...ticks(scale),
    `<path stroke="#333" fill="none" d="M${EDGE} ${EDGE}V${HEIGHT - EDGE}H${WIDTH - EDGE}"/>`,
    ...lines,
    text({ at: [WIDTH / 2, HEIGHT - 12], words: 'calls a second' }),
    text({ at: [EDGE, EDGE - 12], words: 'ms' }),
    '</svg>\n',
  ].join('\n')
}

function createScale(points) {
  const mostX = Math.max(...points.map(({ offered }) => offered)) * 1.05
  const all = points.flatMap(({ median, p95 }) => [median, p95])
  const low = Math.floor(Math.log10(Math.min(...all)))
  const high = Math.ceil(Math.log10(Math.max(...all) * 1.001))
  const [wide, tall] = [WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE]
  return {
    mostX,
    powers: Array.from({ length: high - low + 1 }, (_, at) => low + at),
    x: (value) => EDGE + (value / mostX) * wide,
    y: (value) => HEIGHT - EDGE - ((Math.log10(value) - low) / (high - low)) * tall,
  }
}

function line(points, { key, colour, scale: { x, y } }) {
  const at = points.map((each) => `${x(each.offered).toFixed(1)},${y(each[key]).toFixed(1)}`)
  const [lastX, lastY] = at.at(-1).split(',').map(Number)
  return [
    `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${at.join(' ')}"/>`,
    ...at.map((each) => {
      const [cx, cy] = each.split(',')
      return `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`
    }),
    text({ at: [lastX + 8, lastY + 4], words: key, anchor: 'start', colour }),
  ]
}

function ticks({ mostX, powers, x, y }) {
  const step = roundStep(mostX / 5)
  const right = WIDTH - EDGE
  const calls = Array.from({ length: Math.floor(mostX / step) + 1 }, (_, at) => at * step)
  return [
    ...calls.map((each) => text({ at: [x(each), HEIGHT - EDGE + 18], words: each })),
    ...powers.flatMap((power) => [
      text({ at: [EDGE - 8, y(10 ** power) + 4], words: 10 ** power, anchor: 'end' }),
      `<path stroke="#bbb" d="M${EDGE} ${y(10 ** power).toFixed(1)}H${right}"/>`,
    ]),
    ...powers.slice(0, -1).flatMap((power) =>
      [2, 5].map((times) => {
        const at = y(times * 10 ** power).toFixed(1)
        return `<path stroke="#e8e8e8" d="M${EDGE} ${at}H${right}"/>`
      }),
    ),
  ]
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least))
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= least)
}

function text({ at: [x, y], words, anchor = 'middle', colour = '#000' }) {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${colour}">${escaped(words)}</text>`
}

function escaped(words) {
  return String(words).replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`)
}

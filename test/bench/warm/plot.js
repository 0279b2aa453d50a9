// A plot as SVG: milliseconds against calls a second, the median and the slowest of twenty.
const [WIDTH, HEIGHT, EDGE] = [640, 400, 56]

export function plot({ title, points }) {
  const mostX = Math.max(...points.map(({ offered }) => offered)) * 1.05
  const mostY = Math.max(...points.map(({ p95 }) => p95)) * 1.1
  const x = (value) => EDGE + (value / mostX) * (WIDTH - 2 * EDGE)
  const y = (value) => HEIGHT - EDGE - (value / mostY) * (HEIGHT - 2 * EDGE)
  const at = (key) =>
    points.map((each) => `${x(each.offered).toFixed(1)},${y(each[key]).toFixed(1)}`)
  const line = (key, colour) => [
    `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${at(key).join(' ')}"/>`,
    ...at(key).map((each) => {
      const [cx, cy] = each.split(',')
      return `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`
    }),
  ]
  const ticks = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    text({ at: [x(share * mostX), HEIGHT - EDGE + 18], words: Math.round(share * mostX) }),
    text({ at: [EDGE - 8, y(share * mostY) + 4], words: Math.round(share * mostY), anchor: 'end' }),
    `<path stroke="#ddd" d="M${EDGE} ${y(share * mostY).toFixed(1)}H${WIDTH - EDGE}"/>`,
  ])
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text({ at: [WIDTH / 2, 24], words: title }),
    ...ticks,
    `<path stroke="#333" fill="none" d="M${EDGE} ${EDGE}V${HEIGHT - EDGE}H${WIDTH - EDGE}"/>`,
    ...line('median', '#1a66cc'),
    ...line('p95', '#cc4a1a'),
    text({ at: [WIDTH / 2, HEIGHT - 12], words: 'calls a second' }),
    text({ at: [EDGE + 8, EDGE - 8], words: 'ms (blue: median, red: p95)', anchor: 'start' }),
    '</svg>\n',
  ].join('\n')
}

function text({ at: [x, y], words, anchor = 'middle' }) {
  const safe = String(words).replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`)
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${safe}</text>`
}

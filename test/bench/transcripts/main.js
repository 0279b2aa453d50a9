// npm run bench:transcripts: fails if the tools of today cost more than two thirds of those before. BENCH_DIST names
// another build, whose tools of the former profile `full` are measured alone.
import { printTranscripts } from './print.js'

const rows = await printTranscripts()
process.exit(rows.some(({ median, limit }) => median > limit) ? 1 : 0)

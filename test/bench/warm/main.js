// The warm arms alone, for whoever works on them: node test/bench/warm/main.js
import { printWarm } from './print.js'

console.log(JSON.stringify(await printWarm(), null, 2))
process.exit(0)

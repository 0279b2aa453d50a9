// Runs the benchmark arms of runtime.execute alone: node test/bench/execute/main.js
import { measureExecute } from './python.js'

console.log(JSON.stringify(await measureExecute(), null, 2))
process.exit(0)

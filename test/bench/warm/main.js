// Runs the warm benchmark arms alone: node test/bench/warm/main.js [languages]
import { measureLanguages } from './languages.js'
import { printRows, printWarm } from './print.js'

if (process.argv[2] === 'languages') printRows(await measureLanguages())
else console.log(JSON.stringify(await printWarm(), null, 2))
process.exit(0)

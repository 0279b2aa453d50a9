// Runs the CLI from source: node --import tsx scripts/dev.js list
import { main } from '../src/cli/main.ts'

await main()

// The process of one build's runs: answers each request of its parent with a sample.
import { readTreeMs } from '../processes.js'
import { openRuntime, runTrivialCode } from '../runs/library.js'
import { measureSample } from './sample.js'

const { warm, calls, atOnce } = JSON.parse(process.argv[2])
const run = await openRuntime({}, { warm })

process.on('message', (request) => void answer(request))
process.on('disconnect', () => process.exit(1))
process.send('ready')

async function answer(request) {
  if (request === 'measure') process.send(await measureSample(makeCalls, readTreeMs))
  else process.exit(await run.stop())
}

async function makeCalls() {
  let left = calls
  const work = async () => {
    while (left-- > 0) await runTrivialCode(run, warm ? 'warm' : 'cold')
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

import { openTestFront, runAndExit, type FrontTask } from './test-front.ts'

/**
 * A front in a process of its own. Arguments: address, name, folder of the history. It performs the calls
 * that it receives as a message, until it is killed.
 */
const [url = '', name = '', dir = ''] = process.argv.slice(2)
const front = await openTestFront(url, name, { dir })
process.on('message', (task: FrontTask) => void runAndExit(front, task))
process.send?.('ready')

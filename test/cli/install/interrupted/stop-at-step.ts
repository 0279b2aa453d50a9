// Loaded before the command line: records the disk before each step, or kills the process at one.
import { join } from 'node:path'
import { copyTree, watchDisk } from './disk-steps.ts'

const { STEPS_FOLDER: folder = '', STEPS_RECORD: record, STEPS_KILL: kill } = process.env
let count = 0

watchDisk({
  folders: [folder],
  before({ call, path }) {
    const isKilled = String(count) === kill
    if (record !== undefined) copyTree(folder, join(record, String(count)))
    count += 1
    if (isKilled) process.kill(process.pid, 'SIGKILL')
    if (record !== undefined) process.stderr.write(`step ${call} ${path.slice(folder.length)}\n`)
  },
})

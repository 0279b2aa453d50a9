// The job of this run, read once from the descriptor through which it was passed.
import { closeSync, readFileSync } from 'node:fs'

const JOB = 8

export const job = JSON.parse(readFileSync(JOB, 'utf8'))
closeSync(JOB)

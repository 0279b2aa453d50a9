// What this run is to do, read once from the descriptor that it was handed over by.
import { closeSync, readFileSync } from 'node:fs'

const JOB = 8

export const job = JSON.parse(readFileSync(JOB, 'utf8'))
closeSync(JOB)

// The module 'runtime' for skills: blobs, logs and progress of this run.
export * as blobs from './blobs.mjs'
export * as log from './log.mjs'
export { progress } from './progress.mjs'

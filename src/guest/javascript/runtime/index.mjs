// The module 'runtime' for skills: blobs and logs of this run.
export * as blobs from './blobs.mjs'
export * as log from './log.mjs'

import { measureMs } from '../turns.js'

/** Wall time and CPU time of some work in milliseconds. */
export async function measureSample(work, readCpuMs) {
  const before = readCpuMs()
  const wall = await measureMs(work)
  return { wall, cpu: readCpuMs() - before }
}

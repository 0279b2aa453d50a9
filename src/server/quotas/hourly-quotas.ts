/** Amounts in an hour: milliseconds of processor time, bytes of blobs, uploaded skills. */
export interface HourlyQuotas {
  cpuMs: number
  blobBytes: number
  skills: number
}

export type QuotaResource = keyof HourlyQuotas

import { useEffect, useState } from 'preact/hooks'
import { formatExactTime, formatRelativeTime } from '../models/times.ts'

const REFRESH_MS = 10_000

/** A time as distance from now; the exact time is its title and is copied with it. */
export function Time({ at }: { at: string }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  const exact = formatExactTime(at)
  return (
    <time dateTime={at} title={exact}>
      {formatRelativeTime(at, now)}
    </time>
  )
}

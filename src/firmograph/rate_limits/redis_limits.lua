-- Rate limits of one account, counted atomically for all servers by the rules of limits.py.
--
-- KEYS[1]  state of the account, as doubles: the latest time seen; start and count of each window of WINDOWS; then the
--          times of the latest requests, oldest first. A change of this layout needs a new number in redis_counters.py.
-- ARGV[1]  1 to count a request, 0 to read only
-- ARGV[2]  the server's clock, in seconds
-- ARGV[3]  the name of the path's window, or empty
-- ARGV[4]  limits of second, path, minute, hour and day, up to ARGV[8]; 0 is unlimited
-- ARGV[9]  counts to restore, as MessagePack, or empty: saved counts (`held`), counts to add (`added`), both
--          {window, start, count}, and the request times of the added counts (`times`)
--
-- Returns minute, hour, day, time, and for a full window its name, limit and seconds to wait. Returns nothing if the
-- account is unknown and ARGV[9] is empty: Redis has lost its data, and the caller must send the saved counts.

local WINDOWS = {'minute', 'hour', 'day', 'usage', 'webhooks'}
local START = {minute = 2, hour = 4, day = 6, usage = 8, webhooks = 10}
local LENGTH = {minute = 60, hour = 3600, day = 86400, usage = 60, webhooks = 60}
local CELLS = 1 + 2 * #WINDOWS
local FORMAT = '<' .. string.rep('d', CELLS)
local DAY = 86400

local counting, clock, path, second = ARGV[1] == '1', tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local state = redis.call('GET', KEYS[1])
if not state and ARGV[9] == '' then
    return false
end
state = state or string.rep('\0', 8 * CELLS)
local held = {struct.unpack(FORMAT, state)}
local times = string.sub(state, 8 * CELLS + 1)
local before = held[1]
local changed = ARGV[9] ~= ''

local function begin(window, start)
    held[START[window]], held[START[window] + 1] = start, 0
end

local function merge_counts(rows, combine)
    for _, row in ipairs(rows) do
        local window, start, count = row[1], row[2], row[3]
        local at = START[window]
        if start > held[at] then
            begin(window, start)
        end
        if start == held[at] then
            held[at + 1] = combine(held[at + 1], count)
            held[1] = math.max(held[1], start)
        end
    end
end

local function merge_times(more)
    for place = 1, #times, 8 do
        more[#more + 1] = struct.unpack('<d', times, place)
    end
    table.sort(more)
    for place, time in ipairs(more) do
        held[1] = math.max(held[1], time)
        more[place] = struct.pack('<d', time)
    end
    times = table.concat(more)
end

if changed then
    local restored = cmsgpack.unpack(ARGV[9])
    merge_counts(restored.held, math.max)
    merge_counts(restored.added, function(count, more) return count + more end)
    merge_times(restored.times)
end
if held[1] - clock > DAY then
    -- the stored time was far ahead, so reset all counters as limits.py does
    held = {struct.unpack(FORMAT, string.rep('\0', 8 * CELLS))}
    times = ''
end
local now = math.max(held[1], clock)
held[1] = now

local counted = {'minute', 'hour', 'day', path ~= '' and path or nil}
for _, window in ipairs(counted) do
    local start = now - math.fmod(now, LENGTH[window])
    if held[START[window]] ~= start then
        begin(window, start)
    end
end

local function hit()
    if second > 0 and #times >= 8 * second then
        local wait = struct.unpack('<d', times, #times - 8 * second + 1) + 1 - now
        if wait > 0 then
            return {'second', second, wait}
        end
    end
    for place, window in ipairs({path, 'minute', 'hour', 'day'}) do
        local limit, at = tonumber(ARGV[4 + place]), START[window]
        if limit > 0 and held[at + 1] >= limit then
            return {window, limit, held[at] + LENGTH[window] - now}
        end
    end
end

local full = counting and hit()
if counting and not full then
    changed = true
    if second > 0 then
        times = string.sub(times .. struct.pack('<d', now), -8 * second)
    end
    for _, window in ipairs(counted) do
        local at = START[window] + 1
        held[at] = held[at] + 1
    end
end
if changed or now ~= before then
    redis.call('SET', KEYS[1], struct.pack(FORMAT, unpack(held, 1, CELLS)) .. times, 'EX', 2 * DAY)
end

local answer = {held[3], held[5], held[7], string.format('%.17g', now)}
if full then
    answer[5], answer[6], answer[7] = full[1], full[2], string.format('%.17g', full[3])
end
return answer

-- Rate limits of one account, counted by all servers together: the rules of limits.py, in one step that no other
-- server's step interrupts.
--
-- KEYS[1]  hash: `latest`, the latest time counted at; of each window its start under its name, its count under NAME:count
-- KEYS[2]  list: times of the latest requests, the oldest first
-- ARGV[1]  1 to count a request, 0 to look only
-- ARGV[2]  the server's clock, in seconds
-- ARGV[3]  the name of the window that the path shares, or empty
-- ARGV[4]  limits of second, path, minute, hour and day, as far as ARGV[8]; 0 is none
-- ARGV[9]  what the server brings along, as MessagePack, or empty: counts saved before (`held`), counts to be added
--          (`added`), both {window, start, count}, and the times of the latter's requests (`times`)
--
-- Answers minute, hour, day, time, window hit, its limit, seconds to wait. Answers nothing at all where the account is
-- not known here and nothing is brought along: then the memory of Redis is new, and what was saved has to be brought.

local LENGTHS = {minute = 60, hour = 3600, day = 86400, usage = 60, webhooks = 60}
local DAY = 86400
local KEPT = 2 * DAY

local counting, clock, path = ARGV[1] == '1', tonumber(ARGV[2]), ARGV[3]
local brought = ARGV[9] ~= '' and cmsgpack.unpack(ARGV[9])

local held = {}
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
    held[fields[i]] = tonumber(fields[i + 1])
end
if not held.latest and not brought then
    return false
end
local latest = held.latest or 0

local function count(window)
    return held[window .. ':count'] or 0
end

local function begin(window, start)
    held[window] = start
    held[window .. ':count'] = 0
end

local function take_up(rows, merge)
    for _, row in ipairs(rows) do
        local window, start, counted = row[1], row[2], row[3]
        if start > (held[window] or 0) then
            begin(window, start)
        end
        if start == held[window] then
            held[window .. ':count'] = merge(count(window), counted)
            latest = math.max(latest, start)
        end
    end
end

local function take_up_times(times)
    if #times == 0 then
        return
    end
    for _, time in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
        times[#times + 1] = tonumber(time)
    end
    table.sort(times)
    redis.call('DEL', KEYS[2])
    for _, time in ipairs(times) do
        redis.call('RPUSH', KEYS[2], time)
    end
    latest = math.max(latest, times[#times])
end

local function save()
    local pairs_of = {'latest', latest}
    for window in pairs(LENGTHS) do
        if held[window] then
            table.insert(pairs_of, window)
            table.insert(pairs_of, held[window])
            table.insert(pairs_of, window .. ':count')
            table.insert(pairs_of, count(window))
        end
    end
    redis.call('HSET', KEYS[1], unpack(pairs_of))
    redis.call('EXPIRE', KEYS[1], KEPT)
    redis.call('EXPIRE', KEYS[2], KEPT)
end

if brought then
    take_up(brought.held, math.max)
    take_up(brought.added, function(before, more) return before + more end)
    take_up_times(brought.times)
end
if latest - clock > DAY then
    -- a clock that was years ahead; as in limits.py, counting begins anew
    redis.call('DEL', KEYS[1], KEYS[2])
    held, latest = {}, clock
end
latest = math.max(latest, clock)
local now = latest

for _, window in ipairs({'minute', 'hour', 'day', path ~= '' and path or nil}) do
    local start = now - math.fmod(now, LENGTHS[window])
    if held[window] ~= start then
        begin(window, start)
    end
end

local function hit()
    local second = tonumber(ARGV[4])
    if second > 0 then
        local wait = tonumber(redis.call('LINDEX', KEYS[2], -second) or 0) + 1 - now
        if wait > 0 then
            return {'second', second, wait}
        end
    end
    for place, window in ipairs({path, 'minute', 'hour', 'day'}) do
        local limit = tonumber(ARGV[4 + place])
        if limit > 0 and count(window) >= limit then
            return {window, limit, held[window] + LENGTHS[window] - now}
        end
    end
end

local full = counting and hit()
if counting and not full then
    local second = tonumber(ARGV[4])
    if second > 0 then
        redis.call('RPUSH', KEYS[2], now)
        redis.call('LTRIM', KEYS[2], -second, -1)
    end
    for _, window in ipairs({'minute', 'hour', 'day', path}) do
        if window ~= '' then
            held[window .. ':count'] = count(window) + 1
        end
    end
    save()
elseif brought then
    save()
end

local answer = {count('minute'), count('hour'), count('day'), string.format('%.17g', now)}
if full then
    answer[5], answer[6], answer[7] = full[1], full[2], string.format('%.17g', full[3])
end
return answer
